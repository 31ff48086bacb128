// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.support.BulkloadInput;

/**
 * Merges levels into new extents, and rebuilds the pointers to them. It has a page of memory for
 * each level that is read and each that is written, and keeps no page pinned meanwhile.
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
   * Merges level 0 and the levels 1 to {@code target} into {@code target}, or if that is the
   * deepest, into the level that the result fits into.
   *
   * @param top level 0, in order
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  void into(int target, Level top) {
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
    Level[] results = new Level[level + 1];
    try {
      openWriters(level, most, deepest);
      mergeLevels(top, sources, deepest, writers[level]);
      finish(level, results);
      install(results, deepest ? fitting(results[level].messages()) : level, deepest, sources);
    } catch (RuntimeException | Error failed) {
      discard(level, failed);
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

  private void finish(int level, Level[] results) {
    for (int k = level; k > 0; k--) {
      results[k] = writers[k].finish();
      tree.written += results[k].elements();
    }
  }

  private void discard(int level, Throwable failed) {
    for (int k = 1; k <= level; k++) {
      try {
        writers[k].discard();
      } catch (RuntimeException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
    }
  }

  /** Forgets the extents of a bulkload that failed: the store has taken back all pages. */
  void forget() {
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

  // ---------------------------------------------------------------- install

  /**
   * Makes the extents that were written the levels, and gives back those that were read.
   *
   * @param results from 1 on; the last is to be level {@code place}, those before it the ones above
   * @param deepest whether nothing deeper has messages
   * @param sources number of levels that were read
   */
  private void install(Level[] results, int place, boolean deepest, int sources) {
    int last = results.length - 1;
    long manifest = tree.store.pin((int) tree.meta[ColaStructure.MANIFEST]);
    long top;
    try {
      top = tree.store.pin((int) tree.meta[ColaStructure.TOP]);
    } catch (RuntimeException | Error failed) {
      tree.store.unpin(manifest, false);
      throw failed;
    }
    int runs = tree.levels[place].runs() + 1;
    long merges = tree.meta[ColaStructure.MERGES] + 1;
    if (deepest) {
      runs = place == 0 ? 0 : (int) Math.ceilDiv(results[last].messages(), tree.run(place));
      merges = place == 0 ? 0 : runs * (tree.run(place) / tree.batch);
    }
    Level[] old = tree.levels.clone();
    for (int k = 1; k <= Math.max(place, sources); k++) {
      tree.levels[k] = k <= place ? results[last - (place - k)] : Level.EMPTY;
    }
    if (place > 0) {
      tree.levels[place] = tree.levels[place].withRuns(runs);
    }
    if (deepest) {
      tree.depth = place;
    }
    tree.meta[ColaStructure.MERGES] = merges;
    tree.writeManifest(manifest);
    ElementPage.number(tree.pages, top, 0);
    tree.layout.clearBits(tree.pages, top);
    tree.store.unpin(top, true);
    tree.store.unpin(manifest, true);
    tree.modifications.changes++;
    for (int k = 1; k <= last; k++) {
      if (k > last - place) {
        writers[k].keep();
      } else {
        writers[k].discard();
      }
    }
    for (int k = 1; k <= sources; k++) {
      free(old[k]);
    }
  }

  private void free(Level level) {
    for (int i = 0; i < level.pages(); i++) {
      tree.store.free(level.firstPage() + i);
    }
  }

  // ---------------------------------------------------------------- bulkload

  /** Fills a COLA whose store has nothing but its manifest and its empty level 0. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    BulkloadInput input = new BulkloadInput(entries, total, listener);
    prepare(1);
    LevelWriter writer = writers[1];
    writer.openGrowing();
    pointers.open(Level.EMPTY);
    writer.append(new LoadedMessages(input), pointers, false);
    Level loaded = writer.finish();
    tree.refresh();
    int place = fitting(input.loaded());
    prepare(place);
    Level[] results = new Level[place + 1];
    if (place > 0) {
      openWriters(place - 1, Math.ceilDiv(input.loaded(), (long) tree.stride), false);
      if (place > 1) {
        readers[0].open(loaded, false);
        writers[place - 1].appendPointersTo(readers[0]);
      }
      finish(place - 1, results);
      results[place] = loaded;
      writers[place].keep();
      install(results, place, true, 0);
    }
    tree.meta[ColaStructure.SIZE] = input.loaded();
    input.finish();
  }
}
