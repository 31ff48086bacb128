// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.support.BulkloadInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Merges levels into new extents, and rebuilds the pointers to them; installs nothing. It has a
 * page of memory for each level that is read and each that is written, and keeps no page pinned
 * meanwhile.
 */
final class ColaMerge {
  private final ColaStructure tree;

  /** By number of level, with level 0 as the first. */
  private LevelMessages[] readers = new LevelMessages[0];

  /** By number of level: merges it with all above it. */
  private MergedMessages[] mergers = new MergedMessages[0];

  /** By number of level; none writes level 0. */
  private LevelWriter[] writers = new LevelWriter[0];

  private final LevelPointers pointers;

  ColaMerge(ColaStructure tree) {
    this.tree = tree;
    this.pointers = new LevelPointers(tree.store, tree.layout);
  }

  private void prepare(int deepest) {
    if (deepest < readers.length) {
      return;
    }
    int count = deepest + 1;
    readers = new LevelMessages[count];
    mergers = new MergedMessages[count];
    writers = new LevelWriter[count];
    for (int i = 0; i < count; i++) {
      readers[i] = new LevelMessages(tree.store, tree.layout);
      mergers[i] = new MergedMessages(readers[0], readers[i]);
      writers[i] = new LevelWriter(tree.store, tree.layout, tree.stride);
    }
  }

  // ---------------------------------------------------------------- merge

  /**
   * Merges level 0 and the levels 1 to {@code target} into what is to become level {@code target},
   * or if that is the deepest, the level that the result fits into. What is written is the caller's
   * to {@link #keep} or to {@link #discard}.
   *
   * @param top level 0, in order
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  MergedLevels into(int target, Level top) {
    boolean deepest = target >= tree.depth;
    int sources = Math.min(target, tree.depth);
    long most = top.messages();
    for (int k = 1; k <= sources; k++) {
      most += tree.levels[k].messages();
    }
    int level = deepest ? Math.max(target, fitting(most)) : target;
    if (!deepest) {
      most += tree.levels[target].onlyPointers();
    }
    prepare(level);
    try {
      openWriters(level, most, deepest);
      mergeLevels(top, sources, deepest, writers[level]);
      List<Level> finished = finish(level);
      int place = deepest ? fitting(finished.getLast().messages()) : level;
      return new MergedLevels(deepest(finished, place), deepest, sources);
    } catch (RuntimeException | Error failed) {
      discard(failed);
      throw failed;
    }
  }

  /** Returns the first level that has room for so many messages, 0 for none. */
  int fitting(long messages) {
    int level = 0;
    while (messages > 0 && (level == 0 || tree.capacity(level) < messages)) {
      if (++level > tree.mostLevels) {
        throw new MemoryLimitException(
            "%d messages need more than the %d levels that fit a page of %d bytes"
                .formatted(messages, tree.mostLevels, tree.layout.bytes));
      }
    }
    return level;
  }

  /**
   * Takes extents for a level of at most so many elements and all pointers above it.
   *
   * @param deepest whether it is the deepest level, which lasts: those above are soon merged again
   */
  private void openWriters(int level, long most, boolean deepest) {
    long elements = most;
    for (int k = level; k > 0; k--) {
      int count = (int) Math.ceilDiv(elements, (long) tree.layout.capacity);
      int extent = tree.allocate(count);
      writers[k].open(extent, count, k > 1 ? writers[k - 1] : null, deepest && k == level);
      elements = Math.ceilDiv(elements, (long) tree.stride);
    }
  }

  /** Ends a level and those above it, and returns them all, from level 1 on. */
  private List<Level> finish(int level) {
    Level[] finished = new Level[level];
    for (int k = level; k > 0; k--) {
      finished[k - 1] = writers[k].finish();
      tree.written += finished[k - 1].elements();
    }
    return Arrays.asList(finished);
  }

  /** Returns so many of the deepest levels, and gives back those above. */
  private List<Level> deepest(List<Level> finished, int count) {
    int above = finished.size() - count;
    for (int k = 1; k <= above; k++) {
      writers[k].discard();
    }
    return finished.subList(above, finished.size());
  }

  /** Gives back what was written and can't be installed; a second failure is added to the first. */
  void discard(Throwable failed) {
    for (LevelWriter writer : writers) {
      try {
        writer.discard();
      } catch (RuntimeException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
    }
  }

  /** Forgets what was written: it was installed, or the store has taken back all pages. */
  void keep() {
    for (LevelWriter writer : writers) {
      writer.keep();
    }
  }

  /**
   * Writes the messages of the levels 0 to {@code sources}, merged. The newest levels are the
   * smallest, so each message passes few merges on its way through those of the levels below it.
   */
  private void mergeLevels(Level top, int sources, boolean deepest, LevelWriter writer) {
    readers[0].open(top, false);
    MessageStream stream = readers[0];
    for (int k = 1; k <= sources; k++) {
      readers[k].open(tree.levels[k], true);
      mergers[k].open(stream, readers[k]);
      stream = mergers[k];
    }
    pointers.open(deepest ? Level.EMPTY : tree.levels[sources]);
    writer.append(stream, pointers, deepest);
  }

  // ---------------------------------------------------------------- bulkload

  /** Writes the levels of a COLA whose store has nothing but its manifest and its empty level 0. */
  MergedLevels load(BulkloadInput input) {
    prepare(1);
    LevelWriter writer = writers[1];
    writer.openGrowing();
    pointers.open(Level.EMPTY);
    writer.append(new LoadedMessages(input), pointers, false);
    Level loaded = writer.finish();
    tree.refresh();
    int place = fitting(input.loaded());
    if (place == 0) {
      return new MergedLevels(List.of(), true, 0);
    }
    prepare(place);
    openWriters(place - 1, Math.ceilDiv(input.loaded(), (long) tree.stride), false);
    if (place > 1) {
      readers[0].open(loaded, false);
      writers[place - 1].appendPointersTo(readers[0]);
    }
    List<Level> levels = new ArrayList<>(finish(place - 1));
    levels.add(loaded);
    return new MergedLevels(levels, true, 0);
  }
}
