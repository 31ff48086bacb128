// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

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
  private final Fences fences;

  /** The page of the target that is pinned, once something is written to it. */
  private long targetPage = NO_PAGE;

  DeamortizedMerge(DeamortizedStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.fences = tree.fences;
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
    half.begin(allocateArray(count, 0));
    tree.writeManifest(k);
  }

  /**
   * Takes an extent for an array, and its fences in front if there is room for them too.
   *
   * @param more pages that have to be left
   * @return the array, without elements
   * @throws MemoryLimitException if there is no room even without fences
   */
  private Level allocateArray(int count, long more) {
    int front = tree.hasFences() ? fences.pagesFor(count) : 0;
    if (front == 0 || !store.hasRoom(front + count, more)) {
      return new Level(tree.allocate(count), count, 0, 0, 0, 0);
    }
    int first = tree.allocate(front + count) + front;
    return new Level(first, count, 0, 0, 0, 0, first - 1);
  }

  /**
   * Tells whether, with a new page for the top, there would be room for all merges that have not
   * begun: as many elements as they have messages, and a page of each level that is not full.
   */
  boolean hasRoomForAll() {
    long messages = tree.topCount();
    long waste = 0;
    for (int k = 0; k < tree.depth; k++) {
      HalfMerge half = tree.merges[k];
      if (!half.isBegun()) {
        messages += tree.arrays[2 * k].messages() + tree.arrays[2 * k + 1].messages();
      }
      waste += half.wastePages();
    }
    long needed = 3 + tree.depth + Math.ceilDiv(messages, (long) layout.capacity);
    return store.hasRoom(1, Math.max(0, needed - 1 - waste));
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
    half.waste(0, fences.extent(newer), fences.pagesOf(newer) + newer.pages());
    half.waste(1, fences.extent(older), fences.pagesOf(older) + older.pages());
    half.waste(2, half.firstPage + result.pages(), half.pages - result.pages());
    half.waste(
        3, fences.extent(half.target()), fences.pagesOf(half.target()) - fences.pagesOf(result));
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
    long key = layout.key(pages, from, slot);
    int to = (int) (half.elements % layout.capacity);
    if (targetPage == NO_PAGE) {
      targetPage = pinTarget(half, to == 0, key);
    }
    layout.set(pages, targetPage, to, key, layout.value(pages, from, slot));
    ElementPage.isPut(pages, targetPage, to, isPut);
    half.elements++;
    half.messages++;
    half.tombstones += isPut ? 0 : 1;
  }

  private long pinTarget(HalfMerge half, boolean fresh, long firstKey) {
    long number = layout.pageOf(half.elements);
    if (number >= half.pages) {
      throw Torn.torn("an array has more messages than were counted");
    }
    if (!fresh) {
      return store.pin(half.firstPage + (int) number);
    }
    if (half.firstFence != 0) {
      fences.write(half.firstFence, (int) number, firstKey);
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
   * Makes all entries one array, or where no gap is wide enough, several: each in a level of its
   * own, with keys above those of the one before. If there is no room beside what there is,
   * completes merges, and gives up those that can't be.
   *
   * @throws MemoryLimitException if there is no room even so; all entries are where they were, or
   *     further
   */
  void compact() {
    long entries = tree.countEntries();
    int count = (int) Math.max(1, Math.ceilDiv(entries, (long) layout.capacity));
    free(ALL);
    if (!store.hasRoom(1, count - 1L)) {
      completeWhereRoom();
    }
    if (!store.hasRoom(1, count - 1L)) {
      giveUpMerges();
    }
    List<Level> arrays = new ArrayList<>();
    try {
      allocateArrays(count, arrays);
      tree.reserveManifest(placesOf(arrays)[0]);
      LiveMessages left = new LiveMessages(tree);
      for (int i = 0; i < arrays.size(); i++) {
        Level target = arrays.set(i, Level.EMPTY);
        arrays.set(i, write(left, target));
      }
    } catch (RuntimeException | Error failed) {
      arrays.forEach(this::freeAll);
      throw failed;
    }
    try {
      replaceAll(arrays);
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
  }

  /** Takes pages for arrays, the largest first, which have so many together. */
  private void allocateArrays(int count, List<Level> arrays) {
    int left = count;
    int most = count;
    while (left > 0) {
      most = Math.min(most, left);
      while (most > 1 && !store.hasRoom(most, left - most)) {
        most = Math.ceilDiv(most, 2);
      }
      left -= most;
      arrays.add(allocateArray(most, left));
    }
  }

  /**
   * Returns for each of some arrays, the largest first, the smallest level it may be in if each of
   * them is to have one of its own.
   */
  private int[] placesOf(List<Level> arrays) {
    int[] places = new int[arrays.size()];
    int place = -1;
    for (int i = arrays.size() - 1; i >= 0; i--) {
      Level array = arrays.get(i);
      long room = (long) array.pages() * layout.capacity;
      place = Math.max(place + 1, tree.levelFor(array.elements() > 0 ? array.elements() : room));
      places[i] = place;
    }
    return places;
  }

  /** Writes as many entries to an array as it has room for. */
  private Level write(LiveMessages entries, Level target) {
    LevelWriter writer = newWriter();
    writer.open(target.firstPage(), target.pages(), null, true);
    try {
      entries.stopAfter((long) target.pages() * layout.capacity);
      writer.append(entries, noPointers(), false);
      return finish(writer, target);
    } catch (RuntimeException | Error failed) {
      writer.discard();
      freeAll(fences.extent(target), fences.pagesOf(target));
      throw failed;
    }
  }

  /**
   * Does what merges have left to do, but of those that have not begun only what finds room. Each
   * turn empties a level, so the turns come to an end.
   */
  private void completeWhereRoom() {
    for (int turn = 0; turn < 2 * DeamortizedStructure.MOST_LEVELS; turn++) {
      for (int k = 0; k < tree.depth; k++) {
        complete(k);
      }
      if (free(ALL) == 0) {
        return;
      }
    }
  }

  private void complete(int k) {
    try {
      begin(k);
    } catch (MemoryLimitException _) {
      return; // Its arrays stay two.
    }
    if (tree.isUnsafe(k)) {
      tree.moves += move(k, ALL);
      if (!completeIfDone(k)) {
        tree.writeManifest(k);
      }
    }
  }

  /** Gives back all targets: nothing is in them that is not in their sources. */
  private void giveUpMerges() {
    for (int k = 0; k < tree.depth; k++) {
      HalfMerge half = tree.merges[k];
      freeAll(half.target());
      half.end();
      tree.writeManifest(k);
    }
  }

  /** Ends what was written to an array's pages, and writes its fences. */
  private Level finish(LevelWriter writer, Level target) {
    Level result = writer.finish();
    if (target.firstFence() != 0 && result.pages() >= Fences.LEAST_PAGES) {
      result = result.withFences(target.firstFence());
      writer.writeFences(fences, target.firstFence());
    }
    freeAll(fences.extent(target), fences.pagesOf(target) - fences.pagesOf(result));
    return result;
  }

  private void replaceAll(List<Level> results) {
    giveUpMerges();
    int oldDepth = tree.depth;
    Level[] old = tree.arrays.clone();
    tree.depth = 0;
    for (int i = 0; i < 2 * oldDepth; i++) {
      tree.arrays[i] = Level.EMPTY;
    }
    tree.clearTop((int) tree.meta[MessageLevels.TOP]);
    tree.meta[MessageLevels.HEIGHT] = 1;
    int[] places = placesOf(results);
    for (int i = results.size() - 1; i >= 0; i--) {
      if (results.get(i).pages() > 0) {
        install(results.get(i), places[i]);
      }
    }
    tree.modifications.changes++;
    for (int i = 0; i < 2 * oldDepth; i++) {
      freeAll(old[i]);
    }
  }

  private void freeAll(Level array) {
    freeAll(fences.extent(array), fences.pagesOf(array) + array.pages());
  }

  private void freeAll(int extent, int count) {
    for (int i = 0; i < count; i++) {
      store.free(extent + i);
    }
  }

  /** Makes an array the one of the deepest level. */
  private void install(Level array, int place) {
    int depth = tree.depth;
    tree.arrive(place, array);
    for (int k = depth; k < place; k++) {
      tree.writeManifest(k);
    }
  }

  private LevelWriter newWriter() {
    LevelWriter writer = new LevelWriter(store, layout, Integer.MAX_VALUE);
    writer.keepFences();
    return writer;
  }

  private LevelPointers noPointers() {
    return new LevelPointers(store, layout);
  }

  /** Fills a structure whose store has nothing but a manifest and an empty top. */
  void load(BulkloadInput input) {
    LevelWriter writer = newWriter();
    writer.openGrowing();
    writer.append(new LoadedMessages(input), noPointers(), false);
    Level loaded = addFences(writer, writer.finish());
    tree.refresh();
    int place = tree.levelFor(input.loaded());
    tree.reserveManifest(place);
    if (loaded.pages() > 0) {
      install(loaded, place);
    }
  }

  /** Writes the fences of the one array behind it, if it has room for them there. */
  private Level addFences(LevelWriter writer, Level array) {
    int count = fences.pagesFor(array.pages());
    int firstFence = array.firstPage() + array.pages() + count - 1;
    if (count == 0 || !store.hasRoom(count, 0)) {
      return array;
    }
    if (store.allocate(count) + count - 1 != firstFence) {
      throw new IllegalStateException("fences do not follow their array in a new store");
    }
    writer.writeFences(fences, firstFence);
    return array.withFences(firstFence);
  }
}
