// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * Merges the two arrays of each unsafe level, a few elements at a time, and gives back pages, a few
 * at a time. It pins three pages at most.
 */
final class DeamortizedMerge {
  private static final int ALL = Integer.MAX_VALUE;
  private static final long NO_PAGE = -1;

  private final DeamortizedStructure tree;
  private final PageStore store;
  private final ElementPage layout;

  /** The page of the target that is pinned, once something is written to it. */
  private long targetPage = NO_PAGE;

  DeamortizedMerge(DeamortizedStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
  }

  // ---------------------------------------------------------------- schedule

  /**
   * Gives each unsafe level its target.
   *
   * @throws MemoryLimitException if there is no room for one
   */
  void beginAll() {
    for (int k = 0; k < tree.depth; k++) {
      begin(k);
    }
  }

  private void begin(int k) {
    HalfMerge half = tree.merges[k];
    if (half.isBegun() || !tree.isUnsafe(k)) {
      return;
    }
    long most = tree.arrays[2 * k].messages() + tree.arrays[2 * k + 1].messages();
    // One page at least: an array is what has pages, and the deepest must not vanish, as then
    // tombstones might be the oldest of their keys.
    int count = (int) Math.max(1, Math.ceilDiv(most, (long) layout.capacity));
    tree.reserveManifest(k + 1);
    half.begin(tree.allocate(count), count);
    tree.writeManifest(k);
  }

  /**
   * Moves up to so many elements, of the smallest unsafe level first, and makes targets that are
   * complete arrays of the next level.
   *
   * @throws MemoryLimitException if a level that became unsafe finds no room for its target
   */
  void work(int most) {
    int left = most;
    for (int k = 0; k < tree.depth && left > 0; k++) {
      if (!tree.isUnsafe(k)) {
        continue;
      }
      begin(k);
      int moved = move(k, left);
      left -= moved;
      tree.moves += moved;
      if (!completeIfDone(k)) {
        tree.writeManifest(k);
      }
    }
  }

  /** Returns true if the target has become an array; it waits for pages to be given back. */
  private boolean completeIfDone(int k) {
    HalfMerge half = tree.merges[k];
    Level newer = tree.arrays[2 * k];
    Level older = tree.arrays[2 * k + 1];
    if (half.movedNewer < newer.elements()
        || half.movedOlder < older.elements()
        || !half.isTidy()) {
      return false;
    }
    Level result = half.written(layout.capacity);
    int place = isDeepest(k) && result.elements() <= tree.capacity(k) ? k : k + 1;
    if (place > k && tree.isUnsafe(place)) {
      return false;
    }
    half.waste(0, newer.firstPage(), newer.pages());
    half.waste(1, older.firstPage(), older.pages());
    half.waste(2, half.firstPage + result.pages(), half.pages - result.pages());
    half.end();
    tree.arrays[2 * k] = Level.EMPTY;
    tree.arrays[2 * k + 1] = Level.EMPTY;
    tree.arrive(place, result);
    tree.writeManifest(k);
    tree.modifications.changes++;
    return true;
  }

  private boolean isDeepest(int k) {
    return k == tree.depth - 1;
  }

  /** Gives back up to so many pages of what merges have left; returns how many. */
  int free(int most) {
    int left = most;
    for (int k = 0; k < tree.depth && left > 0; k++) {
      HalfMerge half = tree.merges[k];
      if (half.isTidy()) {
        continue;
      }
      for (int i = 0; i < HalfMerge.WASTE; i++) {
        while (half.wastePages[i] > 0 && left > 0) {
          half.wastePages[i]--;
          left--;
          store.free(half.wasteFirst[i] + half.wastePages[i]);
        }
      }
      tree.writeManifest(k);
    }
    tree.frees += most - left;
    return most - left;
  }

  // ---------------------------------------------------------------- merge

  private int move(int k, int most) {
    int moved = 0;
    int step = 1;
    while (moved < most && step > 0) {
      step = moveInPages(k, most - moved);
      moved += step;
    }
    return moved;
  }

  /** Moves elements until one of the three pages ends; returns how many, 0 if there are none. */
  private int moveInPages(int k, int most) {
    HalfMerge half = tree.merges[k];
    Level newer = tree.arrays[2 * k];
    Level older = tree.arrays[2 * k + 1];
    long newerPage = NO_PAGE;
    long olderPage = NO_PAGE;
    try {
      newerPage = pin(newer, half.movedNewer);
      olderPage = pin(older, half.movedOlder);
      targetPage = NO_PAGE;
      return moveInPages(half, newer, newerPage, older, olderPage, isDeepest(k), most);
    } finally {
      unpin(newerPage, false);
      unpin(olderPage, false);
      unpin(targetPage, true);
      targetPage = NO_PAGE;
    }
  }

  private int moveInPages(
      HalfMerge half,
      Level newer,
      long newerPage,
      Level older,
      long olderPage,
      boolean deepest,
      int most) {
    MemorySegment pages = tree.pages;
    int capacity = layout.capacity;
    int newerSlot = (int) (half.movedNewer % capacity);
    int olderSlot = (int) (half.movedOlder % capacity);
    int newerEnd = (int) Math.min(newer.elements() - half.movedNewer + newerSlot, capacity);
    int olderEnd = (int) Math.min(older.elements() - half.movedOlder + olderSlot, capacity);
    // Where a page ends, but not its array, the next key is not seen.
    boolean newerGoesOn = half.movedNewer - newerSlot + newerEnd < newer.elements();
    boolean olderGoesOn = half.movedOlder - olderSlot + olderEnd < older.elements();
    int moved = 0;
    while (moved < most) {
      boolean hasNewer = newerSlot < newerEnd;
      boolean hasOlder = olderSlot < olderEnd;
      if ((!hasNewer && newerGoesOn)
          || (!hasOlder && olderGoesOn)
          || !(hasNewer || hasOlder)
          || (targetPage != NO_PAGE && half.elements % capacity == 0)) {
        break;
      }
      moved++;
      if (hasNewer && !layout.isMessage(pages, newerPage, newerSlot)) {
        newerSlot++;
        half.movedNewer++;
        continue;
      }
      if (hasOlder && !layout.isMessage(pages, olderPage, olderSlot)) {
        olderSlot++;
        half.movedOlder++;
        continue;
      }
      long newerKey = hasNewer ? layout.key(pages, newerPage, newerSlot) : 0;
      long olderKey = hasOlder ? layout.key(pages, olderPage, olderSlot) : 0;
      if (hasNewer && hasOlder && newerKey == olderKey) {
        olderSlot++;
        half.movedOlder++;
      } else if (hasNewer && (!hasOlder || newerKey < olderKey)) {
        copy(half, newerPage, newerSlot, deepest);
        newerSlot++;
        half.movedNewer++;
      } else {
        copy(half, olderPage, olderSlot, deepest);
        olderSlot++;
        half.movedOlder++;
      }
    }
    return moved;
  }

  /** Appends a message to the target, unless it is a tombstone that has nothing to hide. */
  private void copy(HalfMerge half, long from, int slot, boolean deepest) {
    MemorySegment pages = tree.pages;
    boolean isPut = ElementPage.isPut(pages, from, slot);
    if (!isPut && deepest) {
      return;
    }
    int to = (int) (half.elements % layout.capacity);
    if (targetPage == NO_PAGE) {
      targetPage = pinTarget(half, to == 0);
    }
    layout.set(
        pages, targetPage, to, layout.key(pages, from, slot), layout.value(pages, from, slot));
    ElementPage.isPut(pages, targetPage, to, isPut);
    half.elements++;
    half.messages++;
    half.tombstones += isPut ? 0 : 1;
  }

  private long pinTarget(HalfMerge half, boolean fresh) {
    long number = layout.pageOf(half.elements);
    if (number >= half.pages) {
      throw Torn.torn("an array has more messages than were counted");
    }
    if (!fresh) {
      return store.pin(half.firstPage + (int) number);
    }
    long page = store.pinFresh(half.firstPage + (int) number);
    ElementPage.number(tree.pages, page, 0);
    layout.clearBits(tree.pages, page);
    return page;
  }

  /** Pins the page with a position of an array, if there is one. */
  private long pin(Level array, long position) {
    return position >= array.elements()
        ? NO_PAGE
        : store.pin(array.firstPage() + (int) layout.pageOf(position));
  }

  private void unpin(long page, boolean changed) {
    if (page != NO_PAGE) {
      store.unpin(page, changed);
    }
  }

  // ---------------------------------------------------------------- all at once

  /**
   * Completes all merges, and makes what is there then, the top included, one array.
   *
   * @throws MemoryLimitException if there is no room; all entries are where they were, or further
   */
  void compact() {
    complete();
    long most = tree.messages();
    int place = tree.levelFor(most);
    tree.reserveManifest(place);
    int count = (int) Math.max(1, Math.ceilDiv(most, (long) layout.capacity));
    LevelWriter writer = newWriter();
    writer.open(tree.allocate(count), count, null, true);
    Level result;
    try {
      writer.append(new LiveMessages(tree), noPointers(), false);
      result = writer.finish();
    } catch (RuntimeException | Error failed) {
      writer.discard();
      throw failed;
    }
    writer.keep();
    replaceAll(result);
  }

  /**
   * Does all that merges have left to do. Each turn empties a level, so the turns come to an end.
   */
  private void complete() {
    free(ALL);
    for (int turn = 0; turn < 2 * DeamortizedStructure.MOST_LEVELS; turn++) {
      beginAll();
      work(ALL);
      if (free(ALL) == 0) {
        return;
      }
    }
  }

  private void replaceAll(Level result) {
    int oldDepth = tree.depth;
    Level[] old = tree.arrays.clone();
    tree.depth = 0;
    for (int i = 0; i < 2 * oldDepth; i++) {
      tree.arrays[i] = Level.EMPTY;
    }
    tree.clearTop((int) tree.meta[MessageLevels.TOP]);
    tree.meta[MessageLevels.HEIGHT] = 1;
    install(result);
    tree.modifications.changes++;
    for (int i = 0; i < 2 * oldDepth; i++) {
      for (int page = 0; page < old[i].pages(); page++) {
        store.free(old[i].firstPage() + page);
      }
    }
  }

  /** Makes an array the only one, if it has entries. */
  private void install(Level array) {
    if (array.pages() > 0) {
      int place = tree.levelFor(array.elements());
      tree.arrive(place, array);
      for (int k = 0; k < place; k++) {
        tree.writeManifest(k);
      }
    }
  }

  private LevelWriter newWriter() {
    return new LevelWriter(store, layout, Integer.MAX_VALUE);
  }

  private LevelPointers noPointers() {
    return new LevelPointers(store, layout);
  }

  /** Fills a structure whose store has nothing but a manifest and an empty top. */
  void load(BulkloadInput input) {
    LevelWriter writer = newWriter();
    writer.openGrowing();
    writer.append(new LoadedMessages(input), noPointers(), false);
    Level loaded = writer.finish();
    tree.refresh();
    tree.reserveManifest(tree.levelFor(input.loaded()));
    install(loaded);
  }
}
