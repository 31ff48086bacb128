// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a leaf of an in-page tree, {@code width} cache lines in all (fpB+ 3.1). What its
 * keys belong to, the payloads, are values in a leaf page and numbers of pages in an inner page;
 * there a leaf as wide holds a third more.
 *
 * <pre>
 *  0                     payloadsOffset              levelOffset
 *  | key 0 .. keySlots-1 | payload 0 .. capacity-1 | level | previous | next | count |
 *    longs                 longs or ints             short   short      short  short
 * </pre>
 *
 * Unused key slots hold {@link Keys#PADDING}; in leaf pages the last one always does. Previous and
 * next, 0 for none, chain the in-page leaves of a page. The level is 0 and tells leaves from inner
 * nodes.
 *
 * <p>Width 14: 55 values and 56 key slots, which are whole lines; or 74 children.
 */
public final class InPageLeaf extends InPageNode {
  public final int payloadsOffset;

  /** Lines that hold keys, and lines that hold payloads and the header; they may share one. */
  public final int keyLines;

  public final int payloadLines;
  private final int payloadShift;

  private InPageLeaf(int width, int payloadBytes) {
    super(
        width, capacity(width, payloadBytes), payloadsOffset(width, payloadBytes) / Long.BYTES, 0);
    this.payloadsOffset = payloadsOffset(width, payloadBytes);
    this.payloadShift = Integer.numberOfTrailingZeros(payloadBytes);
    this.keyLines = Math.ceilDiv(keySlots, CacheLine.LONGS);
    this.payloadLines = width - (payloadsOffset >> CacheLine.SHIFT);
  }

  private static int payloadsOffset(int width, int payloadBytes) {
    return (width << CacheLine.SHIFT) - HEADER_BYTES - capacity(width, payloadBytes) * payloadBytes;
  }

  public static InPageLeaf ofValues(int width) {
    return new InPageLeaf(width, Long.BYTES);
  }

  public static InPageLeaf ofPages(int width) {
    return new InPageLeaf(width, Integer.BYTES);
  }

  /** Returns the most values of a leaf so many lines wide. */
  public static int capacityOfValues(int width) {
    return capacity(width, Long.BYTES);
  }

  private static int capacity(int width, int payloadBytes) {
    return ((width << CacheLine.SHIFT) - HEADER_BYTES) / (Long.BYTES + payloadBytes);
  }

  /** Counts the keys smaller than {@code key}. */
  public int lowerBound(MemorySegment pages, long node, long key) {
    return Keys.lowerBoundRagged(pages, node, keySlots, key);
  }

  public long payload(MemorySegment pages, long node, int slot) {
    long offset = node + payloadsOffset + ((long) slot << payloadShift);
    return payloadShift == 3 ? getLong(pages, offset) : getInt(pages, offset);
  }

  public void payload(MemorySegment pages, long node, int slot, long payload) {
    long offset = node + payloadsOffset + ((long) slot << payloadShift);
    if (payloadShift == 3) {
      putLong(pages, offset, payload);
    } else {
      putInt(pages, offset, (int) payload);
    }
  }

  /** Inserts an entry before {@code slot} of a leaf that has room. */
  public void insertAt(
      MemorySegment pages, long node, int slot, int count, long key, long payload) {
    Slots.openGap(pages, node, slot, count);
    key(pages, node, slot, key);
    long from = node + payloadsOffset + ((long) slot << payloadShift);
    if (payloadShift == 3) {
      Slots.openGap(pages, node + payloadsOffset, slot, count);
    } else {
      Words.copy(pages, from, from + Integer.BYTES, (long) (count - slot) << 2);
    }
    payload(pages, node, slot, payload);
    count(pages, node, count + 1);
  }

  /** Removes the entry in {@code slot} of a leaf of values. */
  public void removeAt(MemorySegment pages, long node, int slot, int count) {
    Slots.closeGap(pages, node, slot, count);
    Slots.closeGap(pages, node + payloadsOffset, slot, count);
    key(pages, node, count - 1, Keys.PADDING);
    count(pages, node, count - 1);
  }

  /** Moves the entries from {@code kept} on to an empty leaf. */
  public void moveTo(MemorySegment pages, long node, int kept, int count, long to) {
    int moved = count - kept;
    Words.copy(pages, node + ((long) kept << 3), to, (long) moved << 3);
    long from = node + payloadsOffset + ((long) kept << payloadShift);
    Words.copy(pages, from, to + payloadsOffset, (long) moved << payloadShift);
    Slots.fill(pages, node, kept, count, Keys.PADDING);
    count(pages, node, kept);
    count(pages, to, moved);
  }
}
