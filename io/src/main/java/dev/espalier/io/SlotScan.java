// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What lies in the slots of a damaged store, according to the seals of the pages alone: which page
 * of which index, and after which checkpoint it was written. This takes a pass over the file.
 */
final class SlotScan {
  private final int first;
  private final int end;
  private final long checkpoint;
  private final BitSet sound = new BitSet();
  private final int[] pages;
  private final int[] checksums;
  private final long[] tags;

  /** By index and page the slot of the newest version; negative if another is as new. */
  private final Map<Long, Integer> newest = new HashMap<>();

  /**
   * Reads slots.
   *
   * @param end the slot behind the last one
   * @param checkpoint what was written after it is not taken for a version of a page
   */
  SlotScan(PageFile file, int pageBytes, int first, int end, long checkpoint) {
    this.first = first;
    this.end = end;
    this.checkpoint = checkpoint;
    this.pages = new int[end];
    this.checksums = new int[end];
    this.tags = new long[end];
    int atOnce = Math.clamp(WriteBack.MOST_BYTES / pageBytes, 1, Wave.MOST_PAGES);
    try (Arena arena = Arena.ofShared()) {
      long alignment = Math.max(pageBytes, file.alignment());
      IoBatch batch = new IoBatch(arena.allocate((long) atOnce * pageBytes, alignment), 1);
      for (int slot = first; slot < end; slot += atOnce) {
        read(file, batch, pageBytes, slot, Math.min(atOnce, end - slot));
      }
    }
  }

  private void read(PageFile file, IoBatch batch, int pageBytes, int slot, int count) {
    batch.clear();
    batch.add((long) slot * pageBytes, 0, count * pageBytes);
    try {
      file.read(batch);
    } catch (PageFileException failed) {
      for (int i = 0; i < count && count > 1; i++) {
        read(file, batch, pageBytes, slot + i, 1);
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      long offset = (long) i * pageBytes;
      if (PageSeal.isSound(batch.memory(), offset, pageBytes)) {
        long tag = PageSeal.tag(batch.memory(), offset);
        sound.set(slot + i);
        pages[slot + i] = PageSeal.page(batch.memory(), offset);
        tags[slot + i] = tag;
        checksums[slot + i] = PageSeal.checksumOf(batch.memory(), i, pageBytes);
        if (PageSeal.checkpointOf(tag) <= checkpoint) {
          newest.merge(key(PageSeal.indexOf(tag), pages[slot + i]), slot + i, this::newerOf);
        }
      }
    }
  }

  private static long key(int index, int page) {
    return ((long) index << 32) | (page & 0xffffffffL);
  }

  private int newerOf(int known, int slot) {
    long before = PageSeal.checkpointOf(tags[Math.abs(known)]);
    long checkpoint = PageSeal.checkpointOf(tags[slot]);
    if (checkpoint == before) {
      return -slot; // Written, given back and written again before one checkpoint.
    }
    return checkpoint > before ? slot : known;
  }

  // ---------------------------------------------------------------- what was found

  /** Returns the slot of the newest version of a page, 0 if there is none or it is undecided. */
  int newest(int index, int page) {
    return Math.max(0, newest.getOrDefault(key(index, page), 0));
  }

  int checksum(int slot) {
    return checksums[slot];
  }

  /** Returns after which checkpoint the page in a slot was written. */
  long checkpoint(int slot) {
    return PageSeal.checkpointOf(tags[slot]);
  }

  /** Hands out the newest version of each page of an index whose number is in a range. */
  void forEachNewest(int index, long from, long to, PageConsumer consumer) {
    newest.forEach(
        (key, slot) -> {
          int page = key.intValue();
          if (key >>> 32 == index && page >= from && page <= to && slot > 0) {
            consumer.accept(page, slot);
          }
        });
  }

  /** Tells whether of no page of an index in a range two versions are the newest. */
  boolean isDecided(int index, long from, long to) {
    return newest.entrySet().stream()
        .noneMatch(
            entry -> {
              int page = entry.getKey().intValue();
              boolean isOne = entry.getKey() >>> 32 == index && page >= from && page <= to;
              return isOne && entry.getValue() < 0;
            });
  }

  /** Takes a page and its slot. */
  @FunctionalInterface
  interface PageConsumer {
    void accept(int page, int slot);
  }

  /** Returns the ids of all indexes of which there are pages. */
  Set<Integer> indexes() {
    Set<Integer> ids = new TreeSet<>();
    newest.keySet().forEach(key -> ids.add((int) (key >>> 32)));
    ids.remove(Catalogue.ID);
    return ids;
  }

  /** Returns the slots of all sound versions of a page. */
  int[] versions(int index, int page) {
    return sound.stream()
        .filter(slot -> PageSeal.indexOf(tags[slot]) == index && pages[slot] == page)
        .toArray();
  }

  /**
   * Returns the slot of the newest top page of the map of an index, 0 if there is none or it is
   * undecided. Each checkpoint that changes a map writes its top page or deltas.
   */
  int topOfMap(int index) {
    int top = 0;
    for (int level = 0; level < PageMap.MOST_LEVELS; level++) {
      int slot = newest(index, PageMap.top(level));
      if (slot != 0 && (top == 0 || checkpoint(slot) >= checkpoint(top))) {
        top = slot;
      }
    }
    return top;
  }

  /** Returns the slot of the newest page of deltas of the map of an index, 0 if there is none. */
  int newestDelta(int index) {
    int found = 0;
    for (int number = 0; ; number++) {
      int slot = newest(index, MapDeltas.number(number));
      if (slot == 0) {
        return found;
      }
      if (found == 0 || checkpoint(slot) >= checkpoint(found)) {
        found = slot;
      }
    }
  }

  /** Returns the number of the page in a slot. */
  int page(int slot) {
    return pages[slot];
  }

  /**
   * Tells whether every slot, except for some, holds a sound page that is not of a later
   * checkpoint, and no page is there twice. So nothing has taken the place of the newest version of
   * a page, and it is among those found.
   *
   * @param referred slots of maps and of what they lead to
   */
  boolean isWhole(SlotSpace referred) {
    Set<List<Long>> seals = new HashSet<>();
    for (int slot = first; slot < end; slot++) {
      boolean isAnother =
          sound.get(slot)
              && checkpoint(slot) <= checkpoint
              && seals.add(List.of(tags[slot], (long) pages[slot], (long) checksums[slot]));
      if (!isAnother && !(referred.isLoaded(slot) && !sound.get(slot))) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether the slots to which a map leads hold the pages that it names. */
  boolean agrees(PageMap map, int index) {
    for (int page = 1; page < map.end(); page++) {
      int slot = map.slot(page);
      boolean isRight =
          slot <= PageMap.UNWRITTEN
              || (slot < end
                  && sound.get(slot)
                  && checksums[slot] == map.checksum(page)
                  && pages[slot] == page
                  && PageSeal.indexOf(tags[slot]) == index);
      if (!isRight) {
        return false;
      }
    }
    return true;
  }
}
