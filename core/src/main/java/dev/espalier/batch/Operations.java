// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/**
 * What waits in the buffers besides probes for one key: updates, and probes for the nearest key and
 * for ranges. A record in a buffer has room for a key and a tag only, so the rest is here, and the
 * record's tag is the operation's number, made negative by {@code ~}.
 */
final class Operations {

  /** What is to be done with a key. */
  enum Kind {
    PUT,
    DELETE,
    FLOOR,
    CEILING,
    RANGE
  }

  private Kind[] kinds = new Kind[16];

  /** The value to put, or where a range ends. */
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
   * Tells whether an operation must not wait together with those that are here: the nearest key and
   * a range may depend on updates of other keys, which the buffers keep in no order.
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
