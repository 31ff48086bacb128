// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.support.CursorMemory;
import java.lang.foreign.MemorySegment;

/** A leaf of a cursor: the next entries of several levels, merged block by block. */
final class MergedLeaf {
  /** Elements of each level that a leaf takes at most. */
  static final int PART = 256;

  private final ElementPage layout;
  private PageMessages[] parts = new PageMessages[0];

  /** Each merges the level of the same number with those above it that have messages. */
  private MergedMessages[] mergers = new MergedMessages[0];

  private MemorySegment leaf = MemorySegment.NULL;

  MergedLeaf(ElementPage layout) {
    this.layout = layout;
  }

  /** Makes room for parts of so many levels. */
  void prepare(int levels) {
    if (levels <= parts.length) {
      return;
    }
    parts = new PageMessages[levels];
    mergers = new MergedMessages[levels];
    for (int k = 0; k < levels; k++) {
      parts[k] = new PageMessages(layout, PART);
      mergers[k] = new MergedMessages(parts[0], parts[k]);
    }
    leaf = CursorMemory.allocate(2L * levels * PART * Long.BYTES);
  }

  /** Takes {@code count} elements of a level, from a slot of a page on. */
  void take(int level, MemorySegment pages, long page, int slot, int count, boolean tombstones) {
    parts[level].load(pages, page, slot, count, false, tombstones);
  }

  MemorySegment memory() {
    return leaf;
  }

  /** Returns where in the memory the values begin; the keys begin at 0. */
  long valuesOffset() {
    return leaf.byteSize() / 2;
  }

  /** Merges the parts of the levels, the newest first, and returns the number of entries. */
  int merge(int levels) {
    MessageStream stream = parts[0];
    for (int k = 1; k < levels; k++) {
      if (!stream.hasNext()) {
        stream = parts[k];
      } else if (parts[k].hasNext()) {
        mergers[k].open(stream, parts[k]);
        stream = mergers[k];
      }
    }
    int count = 0;
    while (stream.hasNext()) {
      int puts = stream.keepPuts() - stream.at;
      ElementPage.copy(stream, puts, leaf, (long) count << 3, valuesOffset());
      count += puts;
      stream.at = stream.end;
    }
    return count;
  }
}
