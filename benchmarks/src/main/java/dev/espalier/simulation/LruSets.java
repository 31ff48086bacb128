// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import java.util.Arrays;

/**
 * A set-associative memory of tags, which replaces the least recently used of a set: a cache of
 * lines, or a TLB of pages. A tag may be expected before it is there.
 */
final class LruSets {
  private static final int NONE = -1;

  private final int ways;
  private final int setMask;

  /** By slot; the slots of a set lie together. */
  private final long[] tags;

  /** When the content of a slot is there, or will be. */
  private final long[] readyTimes;

  /** When a slot was last used, in uses of this memory; 0 for never. */
  private final long[] lastUses;

  private long uses;

  /** The slot used last: accesses tend to follow each other in one line, and in one page. */
  private int latest;

  private LruSets(int sets, int ways) {
    this.ways = ways;
    this.setMask = sets - 1;
    this.tags = new long[sets * ways];
    this.readyTimes = new long[sets * ways];
    this.lastUses = new long[sets * ways];
    clear();
  }

  /** Makes an empty one; {@code name} says what it is, if it can't be made. */
  static LruSets of(int slots, int ways, String name) {
    int sets = slots / ways;
    if (sets * ways != slots || Integer.bitCount(sets) != 1) {
      throw new IllegalArgumentException(
          name + " can't be " + ways + "-way associative: its sets must be a power of two");
    }
    return new LruSets(sets, ways);
  }

  void clear() {
    Arrays.fill(tags, NONE);
    Arrays.fill(lastUses, 0);
    uses = 0;
    latest = 0;
  }

  /** Returns the slot of a tag and counts it as used, or returns a negative number. */
  int find(long tag) {
    if (tags[latest] == tag) {
      return use(latest);
    }
    int first = firstSlot(tag);
    for (int slot = first; slot < first + ways; slot++) {
      if (tags[slot] == tag) {
        return use(slot);
      }
    }
    return NONE;
  }

  /** Puts a tag that is not there in place of the least recently used one of its set. */
  void put(long tag, long readyTime) {
    int first = firstSlot(tag);
    int victim = first;
    for (int slot = first + 1; slot < first + ways; slot++) {
      if (lastUses[slot] < lastUses[victim]) {
        victim = slot;
      }
    }
    tags[victim] = tag;
    readyTimes[victim] = readyTime;
    use(victim);
  }

  long readyTime(int slot) {
    return readyTimes[slot];
  }

  private int use(int slot) {
    lastUses[slot] = ++uses;
    latest = slot;
    return slot;
  }

  private int firstSlot(long tag) {
    return ((int) tag & setMask) * ways;
  }
}
