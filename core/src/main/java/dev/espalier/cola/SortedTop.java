// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/** The top page of a deamortized COLA: messages in key order. Its number is their count. */
final class SortedTop {
  private final ElementPage layout;
  private final int batch;

  /**
   * Makes it for pages of a layout.
   *
   * @param batch most messages
   */
  SortedTop(ElementPage layout, int batch) {
    this.layout = layout;
    this.batch = batch;
  }

  /** Returns the count of messages, or throws if threads that tore the index made it impossible. */
  int count(MemorySegment pages, long page) {
    long count = ElementPage.number(pages, page);
    if (count < 0 || count > batch) {
      throw new ConcurrentModificationException(
          "the top has " + count + " messages: the index was changed by another thread");
    }
    return (int) count;
  }

  void insert(
      MemorySegment pages, long page, int slot, int count, long key, long value, boolean isPut) {
    Slots.openGap(pages, page + layout.keysOffset, slot, count);
    Slots.openGap(pages, page + layout.valuesOffset, slot, count);
    layout.openBit(pages, page, slot);
    layout.set(pages, page, slot, key, value);
    ElementPage.isPut(pages, page, slot, isPut);
    ElementPage.number(pages, page, count + 1L);
  }

  void remove(MemorySegment pages, long page, int slot, int count) {
    Slots.closeGap(pages, page + layout.keysOffset, slot, count);
    Slots.closeGap(pages, page + layout.valuesOffset, slot, count);
    layout.closeBit(pages, page, slot);
    ElementPage.number(pages, page, count - 1L);
  }
}
