// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Reads the maps of a damaged store. A damaged page of a map is noted, and tells nothing. */
final class SalvageReader extends PageReader {
  private final MemorySegment nothing;
  private List<Integer> lost = new ArrayList<>();

  SalvageReader(PageFile file, int pageBytes) {
    super(file, pageBytes);
    this.nothing = Arena.ofAuto().allocate(pageBytes, Long.BYTES);
  }

  /** Returns the numbers of the pages that were damaged since the last call. */
  List<Integer> takeLost() {
    List<Integer> taken = lost;
    lost = new ArrayList<>();
    return taken;
  }

  @Override
  MemorySegment read(int slot, int checksum, int page, int index) {
    try {
      return super.read(slot, checksum, page, index);
    } catch (PageFileException damaged) {
      lost.add(page);
      return nothing;
    }
  }

  /** Notes the slot, if there is such a slot. */
  @Override
  void claim(SlotSpace space, int slot, int page, int index) {
    if (slot >= space.first() && slot < space.room()) {
      space.noteLoaded(slot);
    }
  }
}
