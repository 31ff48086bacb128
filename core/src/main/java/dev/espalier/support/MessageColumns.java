// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putShort;

import dev.espalier.memory.Words;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of the messages in a buffer that has room for {@code capacity} of them.
 *
 * <pre>
 *  at        at + 8 capacity   at + 16 capacity
 *  | key 0 .. | value 0 ..      | kind 0 .. |
 *    longs      longs             shorts, of {@link Message}
 * </pre>
 */
public final class MessageColumns {
  /** Bytes that each message takes. */
  public static final int MESSAGE_BYTES = 2 * Long.BYTES + Short.BYTES;

  private MessageColumns() {}

  private static long keyAt(long at, int slot) {
    return at + ((long) slot << 3);
  }

  private static long valueAt(long at, int capacity, int slot) {
    return at + ((long) (capacity + slot) << 3);
  }

  private static long kindAt(long at, int capacity, int slot) {
    return at + ((long) capacity << 4) + ((long) slot << 1);
  }

  public static long key(MemorySegment memory, long at, int slot) {
    return getLong(memory, keyAt(at, slot));
  }

  public static long value(MemorySegment memory, long at, int capacity, int slot) {
    return getLong(memory, valueAt(at, capacity, slot));
  }

  public static int kind(MemorySegment memory, long at, int capacity, int slot) {
    return getUnsignedShort(memory, kindAt(at, capacity, slot));
  }

  public static void kind(MemorySegment memory, long at, int capacity, int slot, int kind) {
    putShort(memory, kindAt(at, capacity, slot), kind);
  }

  /** Writes a message over what is in a slot. */
  public static void set(
      MemorySegment memory, long at, int capacity, int slot, long key, long value, int kind) {
    putLong(memory, keyAt(at, slot), key);
    putLong(memory, valueAt(at, capacity, slot), value);
    kind(memory, at, capacity, slot, kind);
  }

  /** Opens a gap before a slot among the first {@code count} messages, which leave room for it. */
  public static void openGap(MemorySegment memory, long at, int capacity, int slot, int count) {
    Slots.openGap(memory, at, slot, count);
    Slots.openGap(memory, valueAt(at, capacity, 0), slot, count);
    long kinds = kindAt(at, capacity, slot);
    Words.copy(memory, kinds, kinds + Short.BYTES, (long) (count - slot) << 1);
  }

  /** Copies {@code count} messages to slots of another buffer as large, or of the same one. */
  public static void copy(
      MemorySegment memory, long at, int from, long toAt, int to, int capacity, int count) {
    long bytes = (long) count << 3;
    Words.copy(memory, keyAt(at, from), keyAt(toAt, to), bytes);
    Words.copy(memory, valueAt(at, capacity, from), valueAt(toAt, capacity, to), bytes);
    Words.copy(memory, kindAt(at, capacity, from), kindAt(toAt, capacity, to), (long) count << 1);
  }
}
