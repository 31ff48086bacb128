// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A copy of a leaf on the Java heap, at the same offsets as in {@link PageLayout}. */
final class LeafCopy {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final PageLayout layout;

  /** The page; what is between its arrays and its records is anything. */
  final byte[] bytes;

  /** The same, for readers of values. */
  final MemorySegment memory;

  int count;
  private int prefix;
  private int prefixAt;
  private int slots;

  LeafCopy(PageLayout layout) {
    this.layout = layout;
    this.bytes = new byte[layout.pageBytes + Long.BYTES]; // Keys are copied from it by words.
    this.memory = MemorySegment.ofArray(bytes).asReadOnly();
  }

  /** Copies a leaf, which others may change meanwhile: then this is a copy of nothing. */
  void copy(MemorySegment pages, long page) {
    long header = PageLayout.header(pages, page);
    count = PageLayout.countOf(header);
    prefix = PageLayout.prefixOf(header);
    prefixAt = layout.pageBytes - PageLayout.lower(pages, page);
    slots = (int) (PageLayout.slots(header, page) - page);
    int arrays = Math.min(slots + PageLayout.SLOT_BYTES * count, layout.pageBytes);
    int top = Math.clamp(PageLayout.top(pages, page), arrays, layout.pageBytes);
    copy(pages, page, PageStore.RESERVED_BYTES, arrays);
    copy(pages, page, top, layout.pageBytes);
  }

  private void copy(MemorySegment pages, long page, int from, int to) {
    MemorySegment.copy(pages, ValueLayout.JAVA_BYTE, page + from, bytes, from, to - from);
  }

  // ---------------------------------------------------------------- entries

  private int unsigned(int at) {
    return Short.toUnsignedInt((short) SHORT.get(bytes, at));
  }

  private int slot(int i) {
    return slots + PageLayout.SLOT_BYTES * i;
  }

  private int lengths(int i) {
    return (int) INT.get(bytes, slot(i) + 2);
  }

  /** Tells whether all of an entry is in the page. */
  boolean isWhole(int i) {
    return (lengths(i) & (PageLayout.IN_CHAIN | PageLayout.IN_CHAIN << 16)) == 0;
  }

  boolean isKeyInChain(int i) {
    return (lengths(i) & PageLayout.IN_CHAIN) != 0;
  }

  boolean isValueInChain(int i) {
    return (lengths(i) & PageLayout.IN_CHAIN << 16) != 0;
  }

  private int remainder(int i) {
    return lengths(i) & (PageLayout.IN_CHAIN - 1);
  }

  /** Returns where the bytes of a key end that are in its record. */
  private int keyEnd(int i) {
    return unsigned(slot(i)) + PageLayout.tailBytes(remainder(i));
  }

  /** Returns the length of the whole key. */
  int keyLength(int i) {
    return isKeyInChain(i)
        ? (int) INT.get(bytes, keyEnd(i) + Integer.BYTES)
        : prefix + remainder(i);
  }

  /** Returns the first page of the chain of a key. */
  int keyChain(int i) {
    return (int) INT.get(bytes, keyEnd(i));
  }

  /** Returns where the value is, or the reference to it. */
  int valueAt(int i) {
    return keyEnd(i) + (isKeyInChain(i) ? PageLayout.REFERENCE_BYTES : 0);
  }

  int valueLength(int i) {
    return isValueInChain(i)
        ? (int) INT.get(bytes, valueAt(i) + Integer.BYTES)
        : (lengths(i) >>> 16) & (PageLayout.IN_CHAIN - 1);
  }

  /** Checks the lengths that an entry with chains says to have, before memory is taken for them. */
  void checkLengths(int i) {
    int key = keyLength(i);
    int value = valueLength(i);
    if (key < 0 || key > BytesIndex.MAX_KEY || value < 0 || value > BytesIndex.MAX_VALUE) {
      throw Torn.torn("an entry says that its key has " + key + " bytes and its value " + value);
    }
  }

  /** Returns the first page of the chain of a value. */
  int valueChain(int i) {
    return (int) INT.get(bytes, valueAt(i));
  }

  /** Copies what all keys of the page begin with to an array. */
  void copyPrefix(byte[] into) {
    System.arraycopy(bytes, prefixAt, into, 0, prefix);
  }

  /**
   * Copies what the page has of a key but its prefix to where it belongs in an array, which has
   * room for eight bytes more than the key; by words, which is faster for so few bytes than a call.
   */
  void copyRemainder(int i, byte[] into) {
    int from = unsigned(slot(i));
    int to = prefix + Long.BYTES;
    int tail = PageLayout.tailBytes(remainder(i));
    for (int at = 0; at < tail; at += Long.BYTES) {
      LONG.set(into, to + at, (long) LONG.get(bytes, from + at));
    }
    long head = (long) LONG.get(bytes, PageLayout.HEADS + Long.BYTES * i);
    BIG_ENDIAN.set(into, prefix, head ^ Long.MIN_VALUE);
  }
}
