// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.Torn;
import dev.espalier.tree.RangeRemoval;
import dev.espalier.tree.StoreTree;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The arrays of one deamortized COLA, and what changes them. */
final class DeamortizedStructure extends MessageLevels {
  /* Overview
   *
   *   top        one page of at most `batch` messages, in key order
   *   level k    two sorted arrays of at most batch * 2^k elements, each an extent of pages;
   *              the one that came later is the newer
   *
   * A message is a put or a tombstone; for each key the newest decides: first the top, then level by
   * level, in each the newer array first. A put or delete changes the top alone. When that is full,
   * its page becomes an array of level 0, and another one becomes the top.
   *
   * A level with two arrays is unsafe: they are merged into a new array of the next level, a few
   * elements at a time. Each message pays for 2d + 2 moves, where d is the number of levels; they
   * are spent on the unsafe levels from the smallest on. An element is moved when it is copied to
   * the target or passed over, because a newer one has its key or because it is nothing. Until a
   * merge is complete its two sources are read and the target is not, so nothing is ever between two
   * levels. Then the target becomes an array, and the sources are given back, a few pages per
   * message.
   *
   *   Why that is in time. After level i has become unsafe, the next array comes to it after
   *   batch * 2^i messages at the earliest. Until then level j < i takes up at most
   *   batch * (2^i + 2^(j+1)) moves, and level i itself batch * 2^(i+1): together not more than
   *   batch * (i + 4) * 2^i, and (i + 4) per message are paid, as d is i + 1 at least. So no two
   *   adjacent levels are ever unsafe, and there is a place for each array. Of pages a level gives
   *   back 3 * (2^(i+1) * batch / capacity + 1) at most per merge, which FREES per message cover.
   *
   * The result of merging the deepest level stays there if it fits into one array; so overwrites
   * and deletes do not make the structure deeper.
   *
   * All is in the store: in meta words where the manifest and the top are; in the manifest, a chain
   * of pages, the arrays and how far each merge has come.
   *
   * Ranges. Many entries that go together become holes in all arrays and targets, and leave the top;
   * so merges go on where they were, with nothing to hide. Merges drop the holes. So does a removal
   * that leaves more holes than messages, if it is large beside what is left: it makes that one array.
   *
   * A full memory. The top is only handed down if there would be room for all merges that may
   * follow; a message is only taken if each unsafe level has its target. Where memory is refused,
   * all merges are completed and the arrays made one, unless little has changed since that was done
   * last; that call takes O(n). If that does not help, entries are overwritten and removed where
   * they are, in targets too, and new ones refused.
   *
   * Invariants, checked by DeamortizedVerifier. In brackets those of the algorithm's usual
   * description.
   *   I1  Keys ascend strictly in the top, in each array, and in what is written of each target. [C1]
   *   I2  The top has at most `batch` messages; an array of level k at most batch * 2^k elements; a
   *       level has a newer array only if it has an older one, and the deepest has one.     [C2, C11]
   *   I3  No two adjacent levels have two arrays.                                              [C11]
   *   I4  A target holds what merging the moved parts of the sources gives, and has room for the
   *       rest.                                                                                [C13]
   *   I5  A level has a target only if it has two arrays, and has moved no more than they have.
   *   I6  No element is a pointer, and the number of each array's page is 0.
   *   I7  The counts of elements, messages and tombstones are right, and so are those of pages.
   *   I8  The oldest array has no tombstone, and the target of the deepest level neither; without
   *       arrays there is none in the top.                                                 [C9, C10]
   *   I9  Pages are in use by the store's account, in one place each: top, manifest, array, target
   *       or waste; and no others are.                                                         [C14]
   *   I10 The size, where it is known, is the number of keys whose newest message is a put.
   *   I11 Each fence is the first key of its page; arrays of less than 16 pages have none.
   *   I12 No key has an entry that is in a range which readers have found dead.
   *
   * Deviations from the paper:
   *   D1  A page of messages instead of the first levels; an insert shifts up to `batch` in it.
   *   D2  No lookahead pointers: the paper's deamortized form with them needs a third array per
   *       level. Every array is searched from end to end, O(log^2 n), but by Fences, which need no
   *       array above: a page or two of them and one of the array are read.
   *   D3  Two arrays of a level are sources until all of the merge is done, so the target is a third
   *       extent meanwhile.
   *   D4  Deletes, and that the result of the deepest level may stay there.
   *   D5  What a full memory leaves possible, and ranges.
   */

  /** A meta word of this tree's own. */
  private static final int SHAPE = FIRST_OWN + 1;

  /** "DCOL" and a version. */
  private static final long OWN_STAMP = 0x4443_4F4C_0000_0002L;

  /** The first version: arrays have no fences, and go on without. */
  static final long STAMP_WITHOUT_FENCES = 0x4443_4F4C_0000_0001L;

  /** More levels than there can be pages for. */
  static final int MOST_LEVELS = 40;

  /** Pages given back per message: what a completed merge leaves is gone before the next is. */
  static final int FREES = 8;

  /** So many pages of messages are made one at every occasion. */
  private static final long FEW_PAGES = 4;

  /** Of level k the newer array at 2k, the older at 2k + 1: the newest first. */
  final Level[] arrays = new Level[2 * MOST_LEVELS];

  final HalfMerge[] merges = new HalfMerge[MOST_LEVELS];

  /** One more than the number of the deepest level with an array. */
  int depth;

  /** The pages of the manifest. */
  final int[] manifest;

  int manifestPages;

  final Fences fences;

  private final DeamortizedMerge merge;
  private final InPlaceChanges inPlace = new InPlaceChanges(this);

  /** Messages taken, and changed in place, since all arrays were last made one. */
  private long changed;

  /** Elements moved and pages given back by merges, for those who count work. */
  long moves;

  long frees;

  DeamortizedStructure(PageStore store, int batch) {
    super(store, batch);
    this.fences = new Fences(store);
    this.merge = new DeamortizedMerge(this);
    this.manifest = new int[Math.ceilDiv(MOST_LEVELS, levelsPerPage(HalfMerge.WORDS))];
    for (int k = 0; k < MOST_LEVELS; k++) {
      merges[k] = new HalfMerge();
    }
    if (open()) {
      if (meta[SHAPE] != batch) {
        throw new IllegalArgumentException(
            "store holds a deamortized COLA with batches of %d, not %d"
                .formatted(meta[SHAPE], batch));
      }
      readManifest();
      changed = messages();
    }
  }

  @Override
  protected long stamp() {
    return hasFences() ? OWN_STAMP : STAMP_WITHOUT_FENCES;
  }

  /** Tells whether arrays have fences: all but those of a structure that was made without. */
  boolean hasFences() {
    return meta[STAMP] != STAMP_WITHOUT_FENCES;
  }

  @Override
  protected StoreTree over(PageStore other) {
    return new DeamortizedStructure(other, batch);
  }

  @Override
  protected void adopted() {
    endMerges();
    manifestPages = 0;
    readManifest();
    changed = messages();
  }

  /**
   * Returns the proportions of the tree that a store holds, or the default ones if it holds none.
   */
  static DeamortizedCola.Geometry geometryIn(PageStore store) {
    long stamp = store.meta()[STAMP];
    return stamp == OWN_STAMP || stamp == STAMP_WITHOUT_FENCES
        ? new DeamortizedCola.Geometry((int) store.meta()[SHAPE])
        : DeamortizedCola.Geometry.DEFAULT;
  }

  @Override
  protected void plant() {
    plantTop();
    meta[SHAPE] = batch;
    Arrays.fill(arrays, Level.EMPTY);
    endMerges();
    depth = 0;
    manifest[0] = (int) meta[MANIFEST];
    manifestPages = 1;
    link(manifest[0], 0);
    changed = 0;
  }

  private void endMerges() {
    for (HalfMerge each : merges) {
      each.end();
      Arrays.fill(each.wastePages, 0);
    }
  }

  // ---------------------------------------------------------------- manifest

  /** Before the levels, a page of the manifest has the number of the next, or 0. */
  private int levelsPerPage() {
    return levelsPerPage(wordsPerLevel());
  }

  private int levelsPerPage(int wordsPerLevel) {
    return (layout.bytes - PageStore.RESERVED_BYTES - Long.BYTES) / (wordsPerLevel * Long.BYTES);
  }

  private int wordsPerLevel() {
    return hasFences() ? HalfMerge.WORDS : HalfMerge.WORDS_WITHOUT_FENCES;
  }

  private long entry(long page, int level) {
    return page
        + PageStore.RESERVED_BYTES
        + Long.BYTES
        + (long) (level % levelsPerPage()) * wordsPerLevel() * Long.BYTES;
  }

  private void link(int page, int next) {
    long place = store.pin(page);
    putLong(pages, place + PageStore.RESERVED_BYTES, next);
    store.unpin(place, true);
  }

  private void readManifest() {
    depth = Math.clamp(meta[HEIGHT] - 1, 0, MOST_LEVELS - 1);
    Arrays.fill(arrays, Level.EMPTY);
    int page = (int) meta[MANIFEST];
    while (page != 0 && manifestPages < manifest.length) {
      manifest[manifestPages++] = page;
      long place = store.pin(page);
      page = (int) getLong(pages, place + PageStore.RESERVED_BYTES);
      store.unpin(place, false);
    }
    int levels = Math.min(depth, manifestPages * levelsPerPage());
    for (int k = 0; k < levels; k++) {
      long place = store.pin(manifest[k / levelsPerPage()]);
      long at = entry(place, k);
      arrays[2 * k] = HalfMerge.readArray(pages, at, true, hasFences());
      arrays[2 * k + 1] = HalfMerge.readArray(pages, at, false, hasFences());
      merges[k].read(pages, at, hasFences());
      store.unpin(place, false);
      checkManifest(k);
    }
  }

  /** Refuses what would lead far outside of the store. */
  private void checkManifest(int k) {
    int inUse = store.pagesInUse();
    if (!merges[k].isSound(arrays[2 * k], arrays[2 * k + 1], inUse, layout.capacity)) {
      throw new IllegalArgumentException(
          "the manifest says of level %d what cannot be in %d pages".formatted(k, inUse));
    }
  }

  /** Writes what there is to know of a level. */
  void writeManifest(int k) {
    long place = store.pin(manifest[k / levelsPerPage()]);
    merges[k].write(pages, entry(place, k), arrays[2 * k], arrays[2 * k + 1], hasFences());
    store.unpin(place, true);
    meta[HEIGHT] = depth + 1L;
  }

  /** Makes room in the manifest for a level. */
  void reserveManifest(int k) {
    if (k >= MOST_LEVELS) {
      throw new MemoryLimitException("the index needs more than " + MOST_LEVELS + " levels");
    }
    while (manifestPages <= k / levelsPerPage()) {
      int page = allocate(1);
      link(page, 0);
      link(manifest[manifestPages - 1], page);
      manifest[manifestPages++] = page;
    }
  }

  /**
   * Takes an extent, if need be after giving back at once what merges have left.
   *
   * @throws MemoryLimitException if there is no room
   */
  int allocate(int count) {
    int extent;
    try {
      extent = count == 1 ? store.allocate() : store.allocate(count);
    } catch (MemoryLimitException refused) {
      if (merge.free(Integer.MAX_VALUE) == 0) {
        throw refused;
      }
      extent = store.allocate(count);
    }
    // Cursors read the memory that was, which may have moved.
    modifications.changes++;
    refresh();
    return extent;
  }

  // ---------------------------------------------------------------- sizes

  /** Returns the most elements of an array of level {@code k}. */
  long capacity(int k) {
    return (long) batch << k;
  }

  /** Returns the smallest level one of whose arrays may have so many elements. */
  int levelFor(long elements) {
    int k = 0;
    while (capacity(k) < elements) {
      k++;
    }
    return k;
  }

  boolean isUnsafe(int k) {
    return arrays[2 * k].pages() > 0;
  }

  @Override
  long messages() {
    long sum = topCount();
    for (int i = 0; i < 2 * depth; i++) {
      sum += arrays[i].messages();
    }
    return sum;
  }

  @Override
  long tombstones() {
    long sum = 0;
    for (int i = 0; i < 2 * depth; i++) {
      sum += arrays[i].tombstones();
    }
    return sum;
  }

  // ---------------------------------------------------------------- search

  /** Returns the last page of an array that has one whose first key is not above {@code key}. */
  long pageOf(Level array, long key) {
    return array.firstFence() == 0
        ? pageOf(array, 0, array.elements(), key)
        : fences.search(pages, array, key);
  }

  /** Returns the first position of an array whose key is not below {@code key}. O(log elements). */
  long lowerBound(Level array, long key) {
    long elements = array.elements();
    return elements == 0 ? 0 : lowerBound(array, pageOf(array, key), 0, elements, key);
  }

  /** Returns the number of sources of all answers: the top and the arrays. */
  int sources() {
    int count = 1;
    for (int i = 0; i < 2 * depth; i++) {
      count += arrays[i].pages() > 0 ? 1 : 0;
    }
    return count;
  }

  /** Writes the sources, the newest first, into an array that has room. */
  void sources(Level[] into) {
    int count = 0;
    into[count++] = top();
    for (int i = 0; i < 2 * depth; i++) {
      if (arrays[i].pages() > 0) {
        into[count++] = arrays[i];
      }
    }
  }

  @Override
  DeamortizedCursor cursor(DeadRanges skipped) {
    return new DeamortizedCursor(this, skipped);
  }

  // ---------------------------------------------------------------- write

  /**
   * Puts a message into the top, instead of one of the same key, and does the work that a new one
   * pays for.
   *
   * @throws MemoryLimitException if there is no room for what follows; nothing has changed then
   */
  @Override
  void enter(long key, long value, boolean isPut) {
    long top = store.pin((int) meta[TOP]);
    int count = checkedCount(top);
    int slot = Keys.lowerBoundBinary(pages, top + layout.keysOffset, count, key);
    boolean isThere = slot < count && layout.key(pages, top, slot) == key;
    if (isThere && (isPut || depth > 0)) {
      layout.value(pages, top, slot, isPut ? value : ElementPage.TOMBSTONE);
      ElementPage.isPut(pages, top, slot, isPut);
    } else if (isThere) {
      layout.remove(pages, top, slot, count);
    }
    store.unpin(top, isThere);
    if (isThere || (!isPut && depth == 0)) {
      return;
    }
    boolean hasRoom = makeRoom(count == batch, key, value, isPut);
    // Room may have been made by leaving no array, and a tombstone would hide nothing then.
    if (hasRoom && (isPut || depth > 0)) {
      insert(key, value, isPut);
    }
  }

  /** Returns the count of the top, which is pinned, and unpins it if that is impossible. */
  private int checkedCount(long page) {
    long count = ElementPage.number(pages, page);
    if (count < 0 || count > batch) {
      store.unpin(page, false);
      throw Torn.torn("the top has " + count + " messages");
    }
    return (int) count;
  }

  int topCount() {
    return (int) top().elements();
  }

  /** Returns the top as a level, for those who read it like others. */
  Level top() {
    long page = store.pin((int) meta[TOP]);
    int count = Math.clamp(ElementPage.number(pages, page), 0, layout.capacity);
    int tombstones = layout.noPuts(pages, page);
    store.unpin(page, false);
    return new Level((int) meta[TOP], count == 0 ? 0 : 1, count, count, tombstones, 0);
  }

  private void insert(long key, long value, boolean isPut) {
    long top = store.pin((int) meta[TOP]);
    int count = checkedCount(top);
    int slot = Keys.lowerBoundBinary(pages, top + layout.keysOffset, count, key);
    if (count == batch) {
      store.unpin(top, false);
      throw Torn.torn("the top is full again");
    }
    layout.insert(pages, top, slot, count, key, isPut ? value : ElementPage.TOMBSTONE, isPut);
    store.unpin(top, true);
    changed++;
  }

  /**
   * Makes room for a message in the top, or where there is none, does without: returns false if the
   * message was applied in place.
   */
  private boolean makeRoom(boolean topIsFull, long key, long value, boolean isPut) {
    try {
      merge.beginAll();
      if (topIsFull) {
        handDown();
      }
      merge.work(2 * depth + 2);
      merge.free(FREES);
      return true;
    } catch (MemoryLimitException refused) {
      if (compact()) {
        return true;
      }
      if (writeInPlace(key, value, isPut)) {
        return false;
      }
      throw refused;
    }
  }

  /** Makes the page of the top, which is full, an array of level 0. */
  private void handDown() {
    if (isUnsafe(0)) {
      throw Torn.torn("level 0 is full");
    }
    if (!merge.hasRoomForAll()) {
      throw new MemoryLimitException(
          "the index has %d messages in %d pages, and there is no room to merge them"
              .formatted(messages(), store.pagesInUse()));
    }
    int fresh = allocate(1);
    clearTop(fresh);
    int full = (int) meta[TOP];
    long page = store.pin(full);
    int count = checkedCount(page);
    long tombstones = 0;
    for (int i = 0; i < Math.ceilDiv(count, Long.SIZE); i++) {
      tombstones += Long.bitCount(ElementPage.noPutWord(pages, page, i));
    }
    ElementPage.number(pages, page, 0);
    store.unpin(page, true);
    meta[TOP] = fresh;
    arrive(0, new Level(full, 1, count, count, tombstones, 0));
    modifications.changes++;
  }

  /** Makes an array the newest of a level. */
  void arrive(int k, Level array) {
    if (arrays[2 * k + 1].pages() == 0) {
      arrays[2 * k + 1] = array;
    } else {
      arrays[2 * k] = array;
    }
    depth = Math.max(depth, k + 1);
    writeManifest(k);
  }

  @Override
  void cutLevels(long first, long last, long entries) {
    inPlace.removeRange(first, last);
    cutTop(first, last);
    changed += entries;
  }

  @Override
  void dropNothing(long removed) {
    long nothing = topCount() - messages();
    for (int i = 0; i < 2 * depth; i++) {
      nothing += arrays[i].elements();
    }
    if (RangeRemoval.isWorthCopying(removed, nothing, messages(), 1)
        && store.hasRoom(1, Math.ceilDiv(messages(), (long) layout.capacity))) {
      makeOne();
    }
  }

  // ---------------------------------------------------------------- full memory

  /**
   * Makes all arrays one, and tells whether it was done. Each change since the last time may have
   * left two messages that are nothing any more; where that is not a quarter of all, and all are
   * more than a few pages, the pass is not worth it.
   */
  private boolean compact() {
    long messages = messages();
    if (changed == 0 || (8 * changed < messages && messages > FEW_PAGES * layout.capacity)) {
      return false;
    }
    return makeOne();
  }

  /** Returns false if there is no room for that. */
  private boolean makeOne() {
    changed = 0;
    try {
      merge.compact();
      return true;
    } catch (MemoryLimitException _) {
      return false; // The arrays stay as they are.
    }
  }

  /** Applies a message where its key is, below the top. Returns false if it has to be added. */
  private boolean writeInPlace(long key, long value, boolean isPut) {
    if (isPut) {
      return inPlace.overwrite(key, value);
    }
    if (inPlace.remove(key)) {
      changed++;
    }
    return true;
  }

  // ---------------------------------------------------------------- bulkload

  @Override
  void fill(BulkloadInput input) {
    merge.load(input);
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public void verify(ProgressListener listener) {
    DeamortizedVerifier.verify(this, listener);
  }

  /** The top, before the arrays that are there now. */
  @Override
  public NodeView rootView() {
    Level[] sources = new Level[sources()];
    sources(sources);
    return new LevelViews(this, sources, MemorySegment.NULL).node(0);
  }
}
