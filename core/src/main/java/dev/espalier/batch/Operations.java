// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/**
 * The operations that wait in the buffers among probes for single keys: updates, and probes for the
 * nearest key and for ranges. As a record in a buffer has only a key and a tag, the rest is stored
 * here. The tag of the record is the number of the operation, made negative by {@code ~}.
 */
final class Operations {

  /** What to do with a key. */
  enum Kind {
    PUT,
    DELETE,
    FLOOR,
    CEILING,
    RANGE
  }

  private Kind[] kinds = new Kind[16];

  /** The value to put, or the end of a range. */
  private long[] operands = new long[16];

  private long[] tags = new long[16];
  private int count;
  private int updates;

  /** Adds an operation and returns the tag of its record. */
  long add(Kind kind, long operand, long tag) {
    if (count == tags.length) {
      kinds = Arrays.copyOf(kinds, 2 * count);
      operands = Arrays.copyOf(operands, 2 * count);
      tags = Arrays.copyOf(tags, 2 * count);
    }
    kinds[count] = kind;
    operands[count] = operand;
    tags[count] = tag;
    updates += isUpdate(kind) ? 1 : 0;
    return ~count++;
  }

  private static boolean isUpdate(Kind kind) {
    return kind == Kind.PUT || kind == Kind.DELETE;
  }

  /**
   * Returns whether an operation must not wait together with those already waiting: probes for the
   * nearest key or a range may depend on updates of other keys, whose order the buffers do not
   * keep.
   */
  boolean conflicts(Kind kind) {
    return isUpdate(kind) ? updates < count : updates > 0;
  }

  Kind kind(long recordTag) {
    return kinds[(int) ~recordTag];
  }

  long operand(long recordTag) {
    return operands[(int) ~recordTag];
  }

  long tag(long recordTag) {
    return tags[(int) ~recordTag];
  }

  /** Returns the number of operations that were added since the last {@link #clear}. */
  int count() {
    return count;
  }

  void clear() {
    count = 0;
    updates = 0;
  }
}
