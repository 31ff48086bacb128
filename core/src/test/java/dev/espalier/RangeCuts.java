// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;

/** What tests of ranges do with trees of levels, and with a map beside them. */
public abstract class RangeCuts {
  protected static final int PAGE_BYTES = 1024;

  /** Keys are even ones below this, so that ranges can also end between two. */
  protected static final int KEYS = 2400;

  /** The ends of a range that fails. */
  private static final long FIRST = 300;

  private static final long LAST = 2000;

  protected final TreeMap<Long, Long> model = new TreeMap<>();

  protected static MemoryPageStore inMemory() {
    return new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
  }

  // ---------------------------------------------------------------- histories

  /** The index is opened again after each removal, or the same goes on. */
  protected final void history(Function<PageStore, LongIndex> opener, PageStore store, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    model.clear();
    try (store) {
      LongIndex index = opener.apply(store);
      for (int step = 0; step < TestSize.of(80, 300); step++) {
        String what = "seed " + seed + ", step " + step;
        write(index, random, random.nextInt(step % 20 == 0 ? 3000 : 300));
        if (random.nextInt(5) == 0) {
          assertEquals(model.size(), index.size()); // which is known from then on
        }
        index.cursor().ceiling(random.nextInt(KEYS)); // finds some that are dead
        removeRandomRange(index, random, what);
        index.verify();
        if (random.nextBoolean()) {
          index = opener.apply(store);
          index.verify();
        }
        if (step % 8 == 0) {
          assertHolds(index, what);
        }
      }
      assertHolds(index, "seed " + seed);
    }
  }

  /** Writes keys near one another or far apart, with and without a look. */
  private void write(LongIndex index, SplittableRandom random, int writes) {
    long begin = 2L * random.nextInt(KEYS / 2);
    int keys = random.nextBoolean() ? KEYS / 2 : random.nextInt(1, 200);
    boolean grows = random.nextInt(4) > 0;
    for (int i = 0; i < writes; i++) {
      long key =
          random.nextInt(60) == 0 ? extreme(random) : (begin + 2L * random.nextInt(keys)) % KEYS;
      write(index, key, random.nextInt(1000), random.nextInt(grows ? 10 : 5));
    }
  }

  protected final void write(LongIndex index, long key, long value, int kind) {
    switch (kind) {
      case 0, 1 -> {
        index.delete(key);
        model.remove(key);
      }
      case 2 -> {
        index.remove(key);
        model.remove(key);
      }
      case 3 -> {
        index.put(key, value);
        model.put(key, value);
      }
      default -> {
        index.set(key, value);
        model.put(key, value);
      }
    }
  }

  private static long extreme(SplittableRandom random) {
    return random.nextBoolean()
        ? Long.MIN_VALUE + random.nextInt(2)
        : Long.MAX_VALUE - random.nextInt(2);
  }

  protected final void removeRandomRange(LongIndex index, SplittableRandom random, String what) {
    long from = random.nextInt(12) == 0 ? extreme(random) : random.nextInt(-3, KEYS + 3);
    long length = random.nextInt(1 + random.nextInt(1 + KEYS));
    long to = random.nextInt(12) == 0 ? extreme(random) : Math.max(from, from + length);
    long low = Math.min(from, to);
    long high = Math.max(from, to);
    remove(index, low, random.nextBoolean(), high, random.nextBoolean(), what);
  }

  protected final void remove(
      LongIndex index,
      long from,
      boolean fromInclusive,
      long to,
      boolean toInclusive,
      String what) {
    boolean isEmpty = from == to && !(fromInclusive && toInclusive);
    NavigableMap<Long, Long> range =
        isEmpty ? new TreeMap<>() : model.subMap(from, fromInclusive, to, toInclusive);
    assertEquals(range.size(), index.removeRange(from, fromInclusive, to, toInclusive), what);
    range.clear();
  }

  /** Fills a tree of some levels, always in the same way. */
  protected final LongIndex small(LongIndex index) {
    model.clear();
    SplittableRandom random = new SplittableRandom(11);
    write(index, Long.MIN_VALUE, 1, 9);
    write(index, Long.MAX_VALUE, 2, 9);
    for (long value = 0; value < 1500; value++) {
      write(index, 2L * random.nextInt(KEYS / 2), value, random.nextInt(8));
    }
    return index;
  }

  // ---------------------------------------------------------------- failures

  /** Fills a full memory and removes ranges in turn. */
  protected final void fillAndRemove(LongIndex index) {
    SplittableRandom random = new SplittableRandom(9);
    for (int round = 0; round < 60; round++) {
      fillUp(index, random);
      removeRandomRange(index, random, "round " + round);
      index.verify();
    }
    assertHolds(index, "at last");
  }

  private void fillUp(LongIndex index, SplittableRandom random) {
    for (long value = 0; value < 3000; value++) {
      long key = random.nextInt(KEYS);
      try {
        index.set(key, value);
        model.put(key, value);
      } catch (MemoryLimitException _) {
        return;
      }
    }
  }

  /**
   * Removes a range from a tree whose pages can't be read after so many pins, and checks that all
   * of it has gone, or nothing, unless the store was told that the tree is left halfway.
   *
   * @return what became of it
   */
  protected final Outcome removeWithPins(Function<PageStore, LongIndex> opener, int pins) {
    FailingPageStore store = new FailingPageStore(inMemory());
    try (LongIndex index = small(opener.apply(store))) {
      store.pinsLeft = pins;
      boolean hasFailed = fails(index);
      store.pinsLeft = Integer.MAX_VALUE;
      if (store.isHalfway) {
        return Outcome.HALFWAY;
      }
      index.verify();
      if (!index.containsKey(model.ceilingKey(FIRST))) {
        model.subMap(FIRST, true, LAST, true).clear();
      }
      assertHolds(index, "after " + pins + " pins");
      return hasFailed ? Outcome.WHOLE : Outcome.DONE;
    }
  }

  /** What became of a removal for which not all pages could be read. */
  public enum Outcome {
    /** It has failed, and the tree is whole. */
    WHOLE,
    /** It has failed, and told the store that the tree is not whole. */
    HALFWAY,
    /** It needed no more pages. */
    DONE
  }

  private static boolean fails(LongIndex index) {
    try {
      index.removeRange(FIRST, true, LAST, true);
      return false;
    } catch (UncheckedIOException _) {
      return true;
    }
  }

  /** Fails to read any page after so many pins. */
  private static final class FailingPageStore extends ForwardingPageStore {
    int pinsLeft = Integer.MAX_VALUE;
    boolean isHalfway;

    FailingPageStore(PageStore store) {
      super(store);
    }

    @Override
    public long pin(int page) {
      if (pinsLeft-- <= 0) {
        throw new UncheckedIOException(new IOException("page " + page + " can't be read"));
      }
      return super.pin(page);
    }

    @Override
    public void leftHalfway(Throwable cause) {
      isHalfway = true;
    }
  }

  // ---------------------------------------------------------------- compare

  protected final void assertHolds(LongIndex index, String what) {
    TreeMap<Long, Long> entries = new TreeMap<>();
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      entries.put(cursor.key(), cursor.value());
    }
    assertEquals(model, entries, what);
    assertEquals(model.size(), index.size(), what);
    TreeMap<Long, Long> backwards = new TreeMap<>();
    while (cursor.previous()) {
      backwards.put(cursor.key(), cursor.value());
    }
    assertEquals(model, backwards, what);
    long[] keys = model.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    assertEquals(model.values().toString(), Arrays.toString(values), what);
    for (long key : keys) {
      assertEquals(model.get(key), index.get(key), what);
      assertEquals(model.containsKey(key + 1), index.containsKey(key + 1), what);
    }
  }
}
