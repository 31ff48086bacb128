// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.LongCursor;
import dev.espalier.ProgressListener;
import dev.espalier.cola.Cola.Geometry;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.DeadRanges;
import dev.espalier.tree.RangeRemoval;
import dev.espalier.tree.StoreTree;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The levels of one COLA, and what changes them. */
final class ColaStructure extends MessageLevels {
  /* Overview
   *
   *   level 0    one page of at most `batch` messages, in key order
   *   level k    an extent of pages, written once from end to end: at most
   *              (growth - 1) * batch * growth^(k-1) messages, and pointers to level k + 1
   *
   * A message is a put or a tombstone; for each key the one in the level with the smallest number is
   * the newest. A put or delete changes level 0 alone. When that is full, it is merged, with all
   * levels up to the first that has taken less than growth - 1 batches, into that one: one merge of
   * all of them, newest first, into a new extent. The levels between are then without messages. A
   * level's runs count the batches, whatever became of their messages, so that merges come when the
   * paper's analysis has them come. Merged into the deepest level, tombstones vanish; the result
   * then becomes the level that it fits into, so overwrites do not make the structure deeper.
   *
   * Lookahead pointers: of each `stride` elements of level k + 1 the first has a copy of its key in
   * level k, the deepest level apart and level 0, whose successor is searched whole. The i-th
   * pointer of level k stands for position i * stride in level k + 1. So if a key has i pointers
   * before it in level k, it is in level k + 1 behind position (i - 1) * stride and not behind
   * i * stride: stride elements are searched, wherever the pointers are among the messages of level
   * k. How many pointers come before is counted by bits, from a sum in each page.
   *
   * Room is kept for merging everything into one extent beside what there is. When a merge has used
   * it up, everything is merged; when that does not help, level 0 takes no more messages: then, or if
   * the store refuses a merge, entries are overwritten and removed where they are, and new ones
   * refused.
   *
   * Ranges. Many entries that go together leave level 0, and in each other level become what a removal
   * in place makes of them: tombstones, in the deepest level holes. A key is a pointer still if it was
   * one. Merges drop both, and come earlier for it (D5). So does a removal that leaves more of them
   * than puts, if it is large beside what is left: it merges everything.
   *
   * All is in the store: in meta words where the manifest and level 0 are, in the manifest where the
   * levels are. A merge changes neither until the new extents are written.
   *
   * Invariants, checked by ColaVerifier. In brackets those of the algorithm's usual description.
   *   I1  Keys ascend strictly in each level, so a key has one element there.                    [C1]
   *   I2  A level's messages are at most runs * batch * growth^(k-1), its runs from 0 to
   *       growth - 1, and 0 only if there are no messages; level 0 has at most `batch`.          [C2]
   *   I3  The number of merges since the deepest level was last made is the sum of
   *       runs * growth^(k-1).                                                                   [C3]
   *   I4  The i-th pointer of a level has the key of the element at i * stride in the next.   [C4, C5]
   *   I5  There is a pointer for each such position, and none in the deepest level and level 0.  [C5]
   *   I6  A page's sum is the number of pointers in the pages before it.                         [C6]
   *   I7  The counts of elements, messages and tombstones are right.
   *   I8  The deepest level has no tombstone; with no levels there is none in level 0. Holes are in
   *       no other level than the deepest.                                                  [C9, C10]
   *   I9  Pages are in use by the store's account, in one level each, and no others are.        [C14]
   *   I10 The size, where it is known, is the number of keys whose newest message is a put.
   *   I11 No key has an entry that is in a range which readers have found dead.
   *
   * Deviations from the paper:
   *   D1  Level 0 holds a batch of messages instead of one, and stands for the first levels.
   *   D2  One merge of all levels instead of one after the other; never in place.
   *   D3  A pointer and a message of the same key are one element. The paper keeps a copy of the
   *       pointer to the left with each element; here bits are counted.
   *   D4  The result of a merge into the deepest level goes where it fits.
   *   D5  If more than a quarter of the messages are tombstones, all levels are merged: what is
   *       dead then takes up more than half of the room that the entries do. Of holes, which hide
   *       nothing, there may be as many as messages.
   *   D6  What a full memory leaves possible: the room kept, and changes in place; and ranges.
   */

  /** Meta words of this tree's own. */
  static final int MERGES = FIRST_OWN + 1;

  private static final int SHAPE = FIRST_OWN + 2;

  /** "COLA" and a version. */
  private static final long OWN_STAMP = 0x434F_4C41_0000_0001L;

  final Geometry geometry;

  final int stride;

  /** The deepest level that a manifest has room for. */
  final int mostLevels;

  /** By level, from 1 on. */
  private final long[] runs;

  /** From 1 to {@link #depth}; what is deeper is empty. */
  final Level[] levels;

  /** The deepest level that is not empty, or 0. */
  int depth;

  /** Whether there is known to be room to merge everything once more. */
  private boolean roomy;

  /** Elements written by merges, for those who count work. */
  long written;

  private final TopPage top;
  private final ColaMerge merge;
  private final ColaInPlace inPlace = new ColaInPlace(this);

  ColaStructure(PageStore store, Geometry geometry) {
    super(store, geometry.batch());
    this.geometry = geometry;
    this.stride = geometry.stride();
    this.top = new TopPage(layout, batch);
    this.mostLevels = (layout.bytes - PageStore.RESERVED_BYTES) / (Level.WORDS * Long.BYTES);
    this.runs = runs(batch, geometry.growth(), mostLevels);
    this.levels = new Level[mostLevels + 2];
    Arrays.fill(levels, Level.EMPTY);
    this.merge = new ColaMerge(this);
    if (open()) {
      checkShape();
      readManifest();
    }
  }

  /**
   * Returns the proportions of the tree that a store holds, or the default ones if it holds none.
   */
  static Geometry geometryIn(PageStore store) {
    long[] meta = store.meta();
    if (meta[STAMP] != OWN_STAMP) {
      return Geometry.DEFAULT;
    }
    int growth = (int) (meta[SHAPE] >>> 24) & 0xff;
    int batch = (int) meta[SHAPE] & 0xff_ffff;
    return Geometry.ofStride((int) (meta[SHAPE] >>> 32), growth, batch);
  }

  private long shape() {
    return (long) stride << 32 | (long) geometry.growth() << 24 | batch;
  }

  @Override
  protected long stamp() {
    return OWN_STAMP;
  }

  private void checkShape() {
    if (meta[SHAPE] != shape()) {
      throw new IllegalArgumentException(
          "store holds a COLA of another geometry: %x, not %x".formatted(meta[SHAPE], shape()));
    }
  }

  @Override
  protected void plant() {
    merge.keep();
    plantTop();
    meta[SHAPE] = shape();
    meta[MERGES] = 0;
    Arrays.fill(levels, Level.EMPTY);
    depth = 0;
    roomy = false; // Looked at when the first message comes.
  }

  // ---------------------------------------------------------------- manifest

  private void readManifest() {
    depth = Math.clamp(meta[HEIGHT] - 1, 0, mostLevels);
    long manifest = store.pin((int) meta[MANIFEST]);
    for (int k = 1; k <= depth; k++) {
      long at = entry(manifest, k);
      levels[k] =
          new Level(
              (int) getLong(pages, at),
              (int) getLong(pages, at + 8),
              getLong(pages, at + 16),
              getLong(pages, at + 24),
              getLong(pages, at + 32),
              (int) getLong(pages, at + 40));
    }
    store.unpin(manifest, false);
  }

  @Override
  protected StoreTree over(PageStore other) {
    return new ColaStructure(other, geometry);
  }

  @Override
  protected void adopted() {
    merge.keep();
    Arrays.fill(levels, Level.EMPTY);
    readManifest();
    roomy = false;
  }

  private static long entry(long manifest, int level) {
    return manifest + PageStore.RESERVED_BYTES + (level - 1L) * Level.WORDS * Long.BYTES;
  }

  /** Writes the levels into the manifest, which is pinned. */
  void writeManifest(long manifest) {
    for (int k = 1; k <= depth; k++) {
      long at = entry(manifest, k);
      Level level = levels[k];
      putLong(pages, at, level.firstPage());
      putLong(pages, at + 8, level.pages());
      putLong(pages, at + 16, level.elements());
      putLong(pages, at + 24, level.messages());
      putLong(pages, at + 32, level.tombstones());
      putLong(pages, at + 40, level.runs());
    }
    meta[HEIGHT] = depth + 1L;
  }

  /**
   * Takes an extent, and follows the memory if it has moved, as cursors then have to.
   *
   * @throws MemoryLimitException if there is no room
   */
  int allocate(int count) {
    int extent = store.allocate(count);
    modifications.changes++;
    refresh();
    return extent;
  }

  // ---------------------------------------------------------------- sizes

  /** Returns batch * growth^(level - 1): the messages of one run, or as many as a long can say. */
  long run(int level) {
    return runs[level];
  }

  private static long[] runs(int batch, int growth, int mostLevels) {
    long[] runs = new long[mostLevels + 1];
    long run = batch;
    for (int k = 1; k <= mostLevels; k++) {
      runs[k] = run;
      run = run > Long.MAX_VALUE / growth / growth ? run : run * growth;
    }
    return runs;
  }

  /** Returns the most messages of a level. */
  long capacity(int level) {
    return (geometry.growth() - 1L) * run(level);
  }

  /** Returns how many messages level 0 has, those of one key counted as often as they came. */
  private int topCount() {
    long page = store.pin((int) meta[TOP]);
    long number = ElementPage.number(pages, page);
    store.unpin(page, false);
    return Math.clamp((long) TopPage.sortedCount(number) + TopPage.tailCount(number), 0, batch);
  }

  /** Puts all of level 0 into key order, and returns it as a level that is read like others. */
  Level foldedTop() {
    long page = store.pin((int) meta[TOP]);
    try {
      int count = top.fold(pages, page, pages, page);
      return levelOf(count, layout.noPuts(pages, page));
    } finally {
      store.unpin(page, true);
    }
  }

  /**
   * Copies level 0, in key order, to where nobody else reads, and returns the copy as a level.
   *
   * @param with belongs to the caller
   */
  Level copyTop(TopPage with, MemorySegment to, long target) {
    long page = store.pin((int) meta[TOP]);
    try {
      int count = with.fold(pages, page, to, target);
      return levelOf(count, layout.noPuts(to, target));
    } finally {
      store.unpin(page, false);
    }
  }

  /** Returns a level with the messages of level 0. */
  private Level levelOf(int count, int tombstones) {
    return new Level((int) meta[TOP], count == 0 ? 0 : 1, count, count, tombstones, 0);
  }

  @Override
  long messages() {
    long sum = topCount();
    for (int k = 1; k <= depth; k++) {
      sum += levels[k].messages();
    }
    return sum;
  }

  @Override
  long tombstones() {
    long sum = 0;
    for (int k = 1; k <= depth; k++) {
      sum += levels[k].tombstones();
    }
    return sum;
  }

  /** Returns how many elements are nothing any more: the deepest level has no pointers. */
  private long holes() {
    return levels[depth].onlyPointers();
  }

  // ---------------------------------------------------------------- search

  /**
   * Returns the slot of level 0, in its page that is pinned, with a key's newest message, or -1.
   */
  int findInTop(MemorySegment memory, long page, long key) {
    return top.find(memory, page, key);
  }

  /** Returns how many pointers a level has before a position. */
  long pointersBefore(Level level, long position) {
    if (position == 0 || level.pages() == 0) {
      return 0;
    }
    // The position behind a page's last element is looked at from that page.
    long number = layout.pageOf(position - 1);
    long page = store.pin(level.firstPage() + (int) number);
    long pointers = layout.pointersBefore(pages, page, (int) (position - number * layout.capacity));
    store.unpin(page, false);
    return pointers;
  }

  /** Returns where the elements begin that may hold a key with so many pointers before it. */
  long windowStart(long pointers) {
    return pointers == 0 ? 0 : (pointers - 1) * stride + 1;
  }

  /** Returns where the elements end that may hold a key with so many pointers before it. */
  long windowEnd(Level next, long pointers) {
    return Math.min(next.elements(), pointers * stride + 1);
  }

  // ---------------------------------------------------------------- write

  /**
   * Puts a message into level 0, instead of one of the same key, and merges levels if that is full.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room to merge; nothing has
   *     changed then
   */
  @Override
  void enter(long key, long value, boolean isPut) {
    long page = store.pin((int) meta[TOP]);
    try {
      if (!isPut && depth == 0) {
        top.fold(pages, page, pages, page);
        top.remove(pages, page, key);
        return;
      }
      long number = top.checkedNumber(pages, page);
      if (TopPage.sortedCount(number) + TopPage.tailCount(number) < batch && roomy) {
        append(page, number, key, value, isPut);
        return;
      }
    } finally {
      store.unpin(page, true);
    }
    writeIntoFull(key, value, isPut);
  }

  private void append(long page, long number, long key, long value, boolean isPut) {
    top.append(pages, page, number, key, isPut ? value : ElementPage.TOMBSTONE, isPut);
  }

  /** As {@link #enter} where level 0 is full, or there may be no room to merge what it takes. */
  private void writeIntoFull(long key, long value, boolean isPut) {
    try {
      makeRoom();
    } catch (MemoryLimitException refused) {
      if (!inPlace.write(key, value, isPut)) {
        throw refused;
      }
      return;
    }
    if (!isPut && depth == 0) {
      return; // The merge has left nothing at all.
    }
    long page = store.pin((int) meta[TOP]);
    try {
      append(page, top.checkedNumber(pages, page), key, value, isPut);
    } finally {
      store.unpin(page, true);
    }
  }

  /** Makes room for a message in level 0. */
  private void makeRoom() {
    Level folded = foldedTop();
    if (folded.messages() == batch) {
      mergeDown(folded);
    }
    roomy = isRoomy(0);
    if (!roomy) {
      throw new MemoryLimitException(
          "the index has %d messages in %d pages, and there is no room to merge them"
              .formatted(messages(), store.pagesInUse()));
    }
  }

  /**
   * Merges level 0, which is full, into the level whose turn it is; or into the deepest, if the
   * merge could use up the room for that one.
   */
  private void mergeDown(Level folded) {
    int target = 1;
    while (target <= depth && levels[target].runs() == geometry.growth() - 1) {
      target++;
    }
    long written = target;
    for (int k = 1; k <= Math.min(target, depth); k++) {
      written += levels[k].pages() + 1L;
    }
    if (4 * tombstones() + holes() > messages() || !isRoomy(written)) {
      target = Math.max(target, depth);
    }
    install(merge.into(target, folded));
  }

  /** Makes what a merge has written the levels, and gives back those that it has read. */
  private void install(MergedLevels merged) {
    long manifest;
    long page;
    try { // Before anything has changed: reading the two may fail.
      manifest = store.pin((int) meta[MANIFEST]);
      try {
        page = store.pin((int) meta[TOP]);
      } catch (RuntimeException | Error failed) {
        store.unpin(manifest, false);
        throw failed;
      }
    } catch (RuntimeException | Error failed) {
      merge.discard(failed);
      throw failed;
    }
    Level[] old = levels.clone();
    int place = merged.deepest();
    int runs = levels[place].runs() + 1;
    long merges = meta[MERGES] + 1;
    if (merged.isAll()) {
      runs = place == 0 ? 0 : (int) Math.ceilDiv(merged.level(place).messages(), run(place));
      merges = place == 0 ? 0 : runs * (run(place) / batch);
      depth = place;
    }
    for (int k = 1; k <= Math.max(place, merged.sources()); k++) {
      levels[k] = k < place ? merged.level(k) : Level.EMPTY;
    }
    if (place > 0) {
      levels[place] = merged.level(place).withRuns(runs);
    }
    meta[MERGES] = merges;
    writeManifest(manifest);
    ElementPage.number(pages, page, 0);
    layout.clearBits(pages, page);
    store.unpin(page, true);
    store.unpin(manifest, true);
    modifications.changes++;
    merge.keep();
    for (int k = 1; k <= merged.sources(); k++) {
      free(old[k]);
    }
  }

  private void free(Level level) {
    for (int i = 0; i < level.pages(); i++) {
      store.free(level.firstPage() + i);
    }
  }

  /**
   * Tells whether, with so many pages less, there is room to merge everything with a full level 0:
   * for the extent of the deepest level, and for those of the pointers to it.
   */
  private boolean isRoomy(long less) {
    long messages = messages() + batch;
    if (messages > capacity(mostLevels)) {
      return false;
    }
    long extent = Math.ceilDiv(messages, (long) layout.capacity);
    long pointers = 0;
    long elements = messages;
    for (int k = merge.fitting(messages); k > 1; k--) {
      elements = Math.ceilDiv(elements, (long) stride);
      pointers += Math.ceilDiv(elements, (long) layout.capacity);
    }
    return store.hasRoom(extent + less, pointers);
  }

  @Override
  void cutLevels(long first, long last, long entries) {
    foldedTop();
    inPlace.removeRange(first, last);
    cutTop(first, last);
  }

  @Override
  void dropNothing(long removed) {
    long nothing = holes() + tombstones();
    if (RangeRemoval.isWorthCopying(removed, nothing, messages() - tombstones(), 1)) {
      try {
        install(merge.into(depth, foldedTop()));
        roomy = false; // Looked at when the next message comes.
      } catch (MemoryLimitException _) {
        // The levels stay as they are.
      }
    }
  }

  @Override
  LongCursor cursor(DeadRanges skipped) {
    return new ColaCursor(this, skipped);
  }

  @Override
  void fill(BulkloadInput input) {
    install(merge.load(input));
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public void verify(ProgressListener listener) {
    ColaVerifier.verify(this, listener);
  }

  /** Level 0, put in order, before the levels that are there now. */
  @Override
  public NodeView rootView() {
    MemorySegment top = Arena.ofAuto().allocate(layout.bytes, Long.BYTES);
    Level[] sources = new Level[depth + 1];
    sources[0] = copyTop(new TopPage(layout, batch), top, 0);
    System.arraycopy(levels, 1, sources, 1, depth);
    return new LevelViews(this, sources, top).node(0);
  }
}
