// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** What tests of slots do with them. */
final class SlotTrials {
  static final int PAGE_BYTES = 4096;

  /** The first slot behind the headers. */
  static final int FIRST = 4;

  private SlotTrials() {}

  /** Grows a file to so many slots, and returns its space. */
  static SlotSpace space(PageFile file, long slots) {
    file.grow(slots * PAGE_BYTES);
    return new SlotSpace(file, PAGE_BYTES, null);
  }

  /** Takes so many slots, and returns them in order. */
  static int[] take(SlotSpace space, int count) {
    int[] slots = new int[count];
    for (int i = 0; i < count; i++) {
      slots[i] = space.take();
    }
    return slots;
  }

  static void checkpoint(SlotSpace space) {
    space.capture();
    space.settle();
  }
}
