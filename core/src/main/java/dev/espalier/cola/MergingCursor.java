// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A cursor over several levels, merged as it goes. Its leaves are stretches of one level between
 * keys of the others and what is no put; where these would be short, copies of the merged entries.
 */
abstract class MergingCursor extends LeafCursor {
  /** A stretch of so many entries is worth a leaf of its own. */
  private static final int STRETCH = 32;

  /** Entries of a copied leaf: few after a seek, then twice as many each time. */
  private static final int FIRST_COPY = 8;

  private static final int MOST_COPIED = 512;

  /** Elements that are no messages and are passed early: for the leaf after a seek, and others. */
  private static final int FIRST_SPARE = 8;

  private static final int MORE_SPARE = 64;

  /** Pages of a level that are asked for at once at most. */
  private static final int MOST_AHEAD = 32;

  private final PageStore store;
  private final ElementPage layout;

  /** The levels that are read, the newest first, as they were at the last seek. */
  private Level[] levels = new Level[0];

  private int count;

  /** For each level the positions where the current leaf's part of it begins and ends. */
  private long[] starts = new long[0];

  private long[] ends = new long[0];

  /** Where each level is read at the moment. */
  private long[] at = new long[0];

  /** The page of each level that is seen, or -1, and where its bytes are. */
  private long[] pages = new long[0];

  private long[] bases = new long[0];

  /** For each level the first page that was not asked for ahead, and how many were asked for. */
  private long[] asked = new long[0];

  private int[] waves = new int[0];
  private final int[] ahead = new int[MOST_AHEAD];

  private MemorySegment[] memories = new MemorySegment[0];

  /** Pages are copied to here if they don't stay where they are. */
  private MemorySegment copies = MemorySegment.NULL;

  private final MergedLeaf mergedLeaf;
  private MemorySegment merged = MemorySegment.NULL;
  private int mostCopied = FIRST_COPY;

  /** The level whose key comes next, and what {@link #choose} found out about the others. */
  private int chosen;

  /** The key that comes next. */
  private long best;

  /** How many elements that are no messages may yet be passed though they are beyond that key. */
  private int spare;

  private boolean isTied;
  private boolean hasLimit;
  private long limit;

  /** What was removed before the next entry. */
  private final DeadWalk walk;

  /** Where the levels were searched: in front of the first key that is not below. */
  private long sought;

  private boolean soughtEnd;

  /**
   * Makes a cursor over levels of a tree.
   *
   * @param dead the ranges that it skips, and adds to
   */
  MergingCursor(MessageLevels tree, DeadRanges dead) {
    super(tree.modifications);
    this.store = tree.store;
    this.layout = tree.layout;
    this.mergedLeaf = new MergedLeaf(layout);
    this.walk = new DeadWalk(dead, tree.modifications);
  }

  // ---------------------------------------------------------------- for the indexes

  /** Returns the number of levels. */
  abstract int countLevels();

  /** Writes the levels, the newest first. */
  abstract void readLevels(Level[] to);

  /** Writes, for each of {@code count} levels, the first position whose key is not below a key. */
  abstract void seek(long key, Level[] in, int levelCount, long[] positions);

  /** Tells whether a level may have pointers; only one that has none may have holes. */
  abstract boolean mayHavePointers(int level);

  /** Returns where level 0 was copied to, if it is not read where it is. */
  MemorySegment newestCopy() {
    return MemorySegment.NULL;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected final void descend(long key) {
    begin();
    soughtEnd = false;
    sought = walk.begin(key, true);
    seek(sought, levels, count, starts);
    System.arraycopy(starts, 0, ends, 0, count);
    fillForward();
    slot = 0;
  }

  @Override
  protected final void descendToLast() {
    begin();
    for (int k = 0; k < count; k++) {
      starts[k] = levels[k].elements();
      ends[k] = starts[k];
    }
    soughtEnd = true;
    enterPreviousLeaf();
  }

  /** Looks at the levels that are there now, and stands on nothing. */
  private void begin() {
    checkOpen();
    count = countLevels();
    if (count > levels.length) {
      levels = new Level[count];
      starts = new long[count];
      ends = new long[count];
      at = new long[count];
      pages = new long[count];
      bases = new long[count];
      asked = new long[count];
      waves = new int[count];
      memories = new MemorySegment[count];
      if (!store.pagesStay()) {
        copies = CursorMemory.allocate((long) count * layout.bytes);
      }
    }
    readLevels(levels);
    Arrays.fill(pages, -1);
    Arrays.fill(memories, store.pagesStay() ? store.segment() : copies);
    MemorySegment newest = newestCopy();
    if (newest.byteSize() > 0) {
      memories[0] = newest;
      pages[0] = 0;
      bases[0] = 0;
    }
    mostCopied = FIRST_COPY;
    enter(memories[0], 0, 0, 0);
  }

  // ---------------------------------------------------------------- elements

  /** Makes the page with a position of a level readable, and returns the slot. */
  private int see(int level, long position) {
    long number = layout.pageOf(position);
    if (pages[level] != number) {
      if (!store.pagesStay()) {
        askAhead(level, number);
      }
      int page = levels[level].firstPage() + (int) number;
      long place = store.pin(page);
      bases[level] = place;
      if (!store.pagesStay()) {
        bases[level] = (long) level * layout.bytes;
        Words.copy(store.segment(), place, copies, bases[level], layout.bytes);
      }
      store.unpin(place, false);
      pages[level] = number;
    }
    return (int) (position - number * layout.capacity);
  }

  /**
   * Asks for pages behind one that is about to be read, if the one before was read last: for 2 of
   * them, then 4, up to {@link #MOST_AHEAD}, each time half of those before have been read.
   */
  private void askAhead(int level, long number) {
    if (pages[level] != number - 1 || number == 0) {
      asked[level] = number + 1;
      waves[level] = 1;
      return;
    }
    if (number + waves[level] / 2 < asked[level]) {
      return;
    }
    long from = Math.max(asked[level], number + 1);
    waves[level] = Math.min(2 * waves[level], MOST_AHEAD);
    int wave = (int) Math.min(waves[level], levels[level].pages() - from);
    for (int i = 0; i < wave; i++) {
      ahead[i] = levels[level].firstPage() + (int) from + i;
    }
    if (wave > 0) {
      store.readAhead(ahead, 0, wave);
    }
    asked[level] = from + Math.max(wave, 0);
  }

  private long key(int level, long position) {
    int place = see(level, position);
    return layout.key(memories[level], bases[level], place);
  }

  private boolean isPut(int level, long position) {
    int place = see(level, position);
    return ElementPage.isPut(memories[level], bases[level], place);
  }

  private boolean isMessage(int level, long position) {
    int place = see(level, position);
    return layout.isMessage(memories[level], bases[level], place);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected final boolean enterNextLeaf() {
    long from = entries > 0 ? leafKey(entries - 1) : sought;
    from += entries > 0 && from < Long.MAX_VALUE ? 1 : 0;
    long next = walk.begin(from, true);
    if (next != from) {
      seek(next, levels, count, ends);
    }
    return fillForward();
  }

  /** Enters a leaf that begins where the current one ends. */
  private boolean fillForward() {
    spare = entries == 0 ? FIRST_SPARE : MORE_SPARE;
    System.arraycopy(ends, 0, starts, 0, count);
    System.arraycopy(ends, 0, at, 0, count);
    int copied = 0;
    while (copied < mostCopied) {
      if (!choose(true)) {
        walk.end();
        break;
      }
      long from = at[chosen];
      int run = isTied ? 0 : stretchAfter(from);
      if (run >= STRETCH) {
        walk.meet(best);
        if (copied > 0) {
          break;
        }
        at[chosen] += run;
        System.arraycopy(at, 0, ends, 0, count);
        enterStretch(from, run);
        return true;
      }
      if (mostCopied == MOST_COPIED && copied == 0) {
        if (mergeParts()) {
          return true;
        }
      } else if (run > 0) {
        walk.meet(best);
        run = Math.min(run, mostCopied - copied);
        copy(see(chosen, from), copied, run);
        copied += run;
        at[chosen] += run;
      } else if (isPut(chosen, from)) {
        walk.meet(best);
        copy(see(chosen, from), copied, 1);
        copied++;
        pass(best, true);
      } else {
        passDead(best, true);
      }
    }
    System.arraycopy(at, 0, ends, 0, count);
    return enterCopied(0, copied);
  }

  /** Passes by all messages of a key that has no entry, or of all keys that are known to be so. */
  private void passDead(long key, boolean forward) {
    long next = walk.pass(key, key, 1);
    if (next == key) {
      pass(key, forward);
    } else {
      seek(forward ? next : next + 1, levels, count, at);
    }
  }

  /**
   * Enters a leaf of the next elements of all levels, up to the smallest key that is the last of
   * any level's next page or {@link MergedLeaf#PART}. Returns false if no entry is among them.
   */
  private boolean mergeParts() {
    long first = best;
    long bound = Long.MAX_VALUE;
    long taken = 0;
    for (int k = 0; k < count; k++) {
      int part = nextPart(k);
      if (part > 0 && at[k] + part < levels[k].elements()) {
        bound = Math.min(bound, key(k, at[k] + part - 1));
      }
    }
    mergedLeaf.prepare(count);
    for (int k = 0; k < count; k++) {
      int part = nextPart(k);
      int from = part == 0 ? 0 : see(k, at[k]);
      if (part > 0 && layout.key(memories[k], bases[k], from + part - 1) > bound) {
        long keys = bases[k] + layout.keysOffset + ((long) from << 3);
        part = Keys.lowerBoundBinary(memories[k], keys, part, bound + 1);
      }
      mergedLeaf.take(k, memories[k], bases[k], from, part, levels[k].tombstones() > 0);
      at[k] += part;
      taken += part;
    }
    System.arraycopy(at, 0, ends, 0, count);
    int entriesMerged = mergedLeaf.merge(count);
    enter(mergedLeaf.memory(), 0, mergedLeaf.valuesOffset(), entriesMerged);
    if (entriesMerged > 0) {
      walk.meet(leafKey(0));
      return true;
    }
    long next = walk.pass(first, bound, taken);
    if (next != bound) {
      seek(next, levels, count, at);
    }
    return false;
  }

  /** Returns how many of a level's next elements are in one page, and not too many. */
  private int nextPart(int level) {
    long left = levels[level].messages() == 0 ? 0 : levels[level].elements() - at[level];
    int inPage = layout.capacity - (int) (at[level] % layout.capacity);
    return (int) Math.min(left, Math.min(inPage, MergedLeaf.PART));
  }

  @Override
  protected final boolean enterPreviousLeaf() {
    long from = entries > 0 ? leafKey(0) : soughtEnd ? Long.MAX_VALUE : sought;
    from -= (entries > 0 || !soughtEnd) && from > Long.MIN_VALUE ? 1 : 0;
    long next = walk.begin(from, false);
    if (next != from) {
      seek(next + 1, levels, count, starts);
    }
    spare = entries == 0 ? FIRST_SPARE : MORE_SPARE;
    System.arraycopy(starts, 0, ends, 0, count);
    System.arraycopy(starts, 0, at, 0, count);
    int copied = 0;
    while (copied < mostCopied) {
      if (!choose(false)) {
        walk.end();
        break;
      }
      long to = at[chosen];
      int run = isTied ? 0 : stretchBefore(to);
      if (run >= STRETCH) {
        walk.meet(best);
        if (copied > 0) {
          break;
        }
        at[chosen] -= run;
        System.arraycopy(at, 0, starts, 0, count);
        enterStretch(to - run, run);
        return true;
      }
      if (run > 0) {
        walk.meet(best);
        run = Math.min(run, mostCopied - copied);
        copied += run;
        copy(see(chosen, to - run), MOST_COPIED - copied, run);
        at[chosen] -= run;
      } else if (isPut(chosen, to - 1)) {
        walk.meet(best);
        copied++;
        copy(see(chosen, to - 1), MOST_COPIED - copied, 1);
        pass(best, false);
      } else {
        passDead(best, false);
      }
    }
    System.arraycopy(at, 0, starts, 0, count);
    return enterCopied(MOST_COPIED - copied, copied);
  }

  /** Finds the level with the next key, the newest of them; returns false if there is none. */
  private boolean choose(boolean forward) {
    boolean found = false;
    isTied = false;
    hasLimit = false;
    for (int k = count - 1; k >= 0; k--) {
      if (!skipToMessage(k, found, forward)) {
        continue;
      }
      long key = key(k, forward ? at[k] : at[k] - 1);
      if (!found || (forward ? key < best : key > best)) {
        if (found) {
          isTied = false;
          narrow(best, forward);
        }
        found = true;
        best = key;
        chosen = k;
      } else if (key == best) {
        isTied = true;
        chosen = k;
      } else {
        narrow(key, forward);
      }
    }
    return found;
  }

  private void narrow(long key, boolean forward) {
    if (!hasLimit || (forward ? key < limit : key > limit)) {
      limit = key;
      hasLimit = true;
    }
  }

  /**
   * Goes to the next message or hole of a level; returns false if there is none. A pointer may stay
   * if it lies beyond the best key, since a level may have thousands of them in a row: only so many
   * are passed as a scan can afford. A hole is passed as a removed key, which it is.
   */
  private boolean skipToMessage(int level, boolean hasBest, boolean forward) {
    if (levels[level].messages() == 0) {
      return false; // It may have pointers to all of the next level.
    }
    long end = forward ? levels[level].elements() : 0;
    if (!mayHavePointers(level)) {
      return at[level] != end;
    }
    while (at[level] != end) {
      long next = forward ? at[level] : at[level] - 1;
      if (isMessage(level, next) || (hasBest && --spare < 0 && isBeyond(level, next, forward))) {
        return true;
      }
      at[level] += forward ? 1 : -1;
    }
    return false;
  }

  private boolean isBeyond(int level, long position, boolean forward) {
    long key = key(level, position);
    return forward ? key > best : key < best;
  }

  /** Passes by all messages of a key, which are the next of their levels. */
  private void pass(long key, boolean forward) {
    for (int k = 0; k < count; k++) {
      long next = forward ? at[k] : at[k] - 1;
      boolean isThere = forward ? next < levels[k].elements() : next >= 0;
      if (isThere && levels[k].messages() > 0 && key(k, next) == key) {
        at[k] += forward ? 1 : -1;
      }
    }
  }

  /** Counts the puts from a position of the chosen level on, in its page and before the limit. */
  private int stretchAfter(long position) {
    int from = see(chosen, position);
    long base = bases[chosen];
    MemorySegment memory = memories[chosen];
    int to = (int) Math.min(levels[chosen].elements() - position + from, layout.capacity);
    if (hasLimit && layout.key(memory, base, to - 1) >= limit) {
      long keys = base + layout.keysOffset + ((long) from << 3);
      to = from + Keys.lowerBoundBinary(memory, keys, to - from, limit);
    }
    for (int word = from >>> 6; word <= (to - 1) >>> 6; word++) {
      long noPuts = ElementPage.noPutWord(memory, base, word);
      noPuts &= word == from >>> 6 ? -1L << from : -1L;
      if (noPuts != 0) {
        return Math.min(to, (word << 6) + Long.numberOfTrailingZeros(noPuts)) - from;
      }
    }
    return to - from;
  }

  /** Counts the puts before a position of the chosen level, in their page and behind the limit. */
  private int stretchBefore(long position) {
    int last = see(chosen, position - 1);
    long base = bases[chosen];
    MemorySegment memory = memories[chosen];
    int from = 0;
    if (hasLimit) {
      long keys = base + layout.keysOffset;
      from = Keys.lowerBoundBinary(memory, keys, last + 1, limit + 1);
    }
    for (int word = last >>> 6; word >= from >>> 6; word--) {
      long noPuts = ElementPage.noPutWord(memory, base, word);
      noPuts &= word == last >>> 6 ? -1L >>> (63 - (last & 63)) : -1L;
      if (noPuts != 0) {
        int noPut = (word << 6) + 63 - Long.numberOfLeadingZeros(noPuts);
        return last - Math.max(noPut, from - 1);
      }
    }
    return last + 1 - from;
  }

  private void enterStretch(long position, int run) {
    int from = see(chosen, position);
    long base = bases[chosen] + ((long) from << 3);
    enter(memories[chosen], base + layout.keysOffset, base + layout.valuesOffset, run);
  }

  /** Copies entries from a page of the chosen level to a place in the merged leaf. */
  private void copy(int from, int to, int run) {
    if (merged.byteSize() == 0) {
      merged = CursorMemory.allocate(2L * MOST_COPIED * Long.BYTES);
    }
    long base = bases[chosen] + ((long) from << 3);
    long target = (long) to << 3;
    long bytes = (long) run << 3;
    MemorySegment memory = memories[chosen];
    Words.copy(memory, base + layout.keysOffset, merged, target, bytes);
    Words.copy(
        memory, base + layout.valuesOffset, merged, target + ((long) MOST_COPIED << 3), bytes);
  }

  private boolean enterCopied(int from, int copied) {
    long keys = (long) from << 3;
    enter(merged, keys, keys + ((long) MOST_COPIED << 3), copied);
    mostCopied = Math.min(2 * mostCopied, MOST_COPIED);
    return copied > 0;
  }
}
