// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TestSize;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges that leave trees with messages of every kind on the way to the leaves. */
class BEpsilonCutTest {
  /** Keys are even ones below this, so that ranges can also end between two. */
  private static final int KEYS = 1200;

  /** The ends of a range that fails. */
  private static final long FIRST = 100;

  private static final long LAST = 900;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  /** Trees of small pages, and so of many levels. */
  enum Shape {
    B_EPSILON {
      @Override
      BEpsilonTree open(PageStore store) {
        return BEpsilonTree.open(IndexOptions.DEFAULT, store, new BEpsilonTree.Geometry(4));
      }
    },
    WIDER {
      @Override
      BEpsilonTree open(PageStore store) {
        return BEpsilonTree.open(IndexOptions.DEFAULT, store, new BEpsilonTree.Geometry(7));
      }
    },
    REPOSITORY {
      @Override
      BEpsilonTree open(PageStore store) {
        return BufferedRepositoryTree.open(IndexOptions.DEFAULT, store);
      }
    };

    abstract BEpsilonTree open(PageStore store);

    BEpsilonTree create() {
      return open(inMemory(256));
    }
  }

  private static MemoryPageStore inMemory(int pageBytes) {
    return new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.OFF);
  }

  // ---------------------------------------------------------------- histories

  @ParameterizedTest
  @EnumSource
  void rangesThatGoAndComeBackAgreeWithAMap(Shape shape) {
    for (long seed : TestSize.seeds(2, 48)) {
      history(shape.create(), seed);
      history(shape.open(new CheckedPageStore(inMemory(256), CheckedPageStore.MIN_PINS)), seed);
    }
  }

  private void history(BEpsilonTree index, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    model.clear();
    try (index) {
      LongCursor cursor = index.cursor();
      for (int step = 0; step < TestSize.of(80, 300); step++) {
        write(index, random, random.nextInt(step % 20 == 0 ? 1500 : 150));
        if (random.nextInt(5) == 0) {
          assertEquals(model.size(), index.size()); // which is known from then on
        }
        cursor.ceiling(random.nextInt(KEYS)); // finds some that are dead
        removeRandomRange(index, random, "seed " + seed + ", step " + step);
        index.verify();
        if (step % 8 == 0) {
          assertHolds(index, "seed " + seed + ", step " + step);
        }
      }
      assertHolds(index, "seed " + seed);
    }
  }

  /** Writes keys near one another or far apart, with and without a look. */
  private void write(BEpsilonTree index, SplittableRandom random, int writes) {
    long begin = 2L * random.nextInt(KEYS / 2);
    int keys = random.nextBoolean() ? KEYS / 2 : random.nextInt(1, 60);
    boolean grows = random.nextInt(4) > 0;
    for (int i = 0; i < writes; i++) {
      long key =
          random.nextInt(60) == 0 ? extreme(random) : (begin + 2L * random.nextInt(keys)) % KEYS;
      long value = random.nextInt(1000);
      switch (random.nextInt(grows ? 10 : 6)) {
        case 0, 1 -> {
          index.delete(key);
          model.remove(key);
        }
        case 2 -> {
          index.remove(key);
          model.remove(key);
        }
        case 3, 4 -> {
          index.add(key, value);
          model.merge(key, value, Long::sum);
        }
        case 5 -> {
          index.put(key, value);
          model.put(key, value);
        }
        default -> {
          index.set(key, value);
          model.put(key, value);
        }
      }
    }
  }

  private static long extreme(SplittableRandom random) {
    return random.nextBoolean()
        ? Long.MIN_VALUE + random.nextInt(2)
        : Long.MAX_VALUE - random.nextInt(2);
  }

  private void removeRandomRange(BEpsilonTree index, SplittableRandom random, String what) {
    long from = random.nextInt(12) == 0 ? extreme(random) : random.nextInt(-3, KEYS + 3);
    long length = random.nextInt(1 + random.nextInt(1 + random.nextInt(1 + KEYS)));
    long to = random.nextInt(12) == 0 ? extreme(random) : Math.max(from, from + length);
    long low = Math.min(from, to);
    long high = Math.max(from, to);
    remove(index, low, random.nextBoolean(), high, random.nextBoolean(), what);
  }

  private void remove(
      BEpsilonTree index,
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

  // ---------------------------------------------------------------- ends

  /** Each pair of ends meets the same tree, with messages at all levels. */
  @ParameterizedTest
  @EnumSource
  void rangeBetweenAnyTwoEndsGoes(Shape shape) {
    long[] ends = ends(shape);
    assertTrue(ends.length > 60, "ends: " + ends.length);
    int step = TestSize.isThorough() ? 5 : 17;
    for (int i = 0; i < ends.length; i++) {
      for (int j = i; j < ends.length; j += i == 0 || j < i + 3 ? 1 : step) {
        try (BEpsilonTree index = small(shape.create())) {
          String what = ends[i] + " to " + ends[j];
          remove(index, ends[i], true, ends[j], true, what);
          index.verify();
          assertNothingFrom(ends[i], ends[j], index, what);
          assertHolds(index, what);
        }
      }
    }
  }

  /** Fills a tree of some levels, always in the same way. */
  private BEpsilonTree small(BEpsilonTree index) {
    model.clear();
    SplittableRandom random = new SplittableRandom(11);
    index.set(Long.MIN_VALUE, 1);
    index.set(Long.MAX_VALUE, 2);
    model.put(Long.MIN_VALUE, 1L);
    model.put(Long.MAX_VALUE, 2L);
    for (long value = 0; value < 400; value++) {
      long key = 2L * random.nextInt(KEYS / 2);
      switch (random.nextInt(8)) {
        case 0 -> {
          index.delete(key);
          model.remove(key);
        }
        case 1 -> {
          index.add(key, value);
          model.merge(key, value, Long::sum);
        }
        default -> {
          index.set(key, value);
          model.put(key, value);
        }
      }
    }
    return index;
  }

  /** Returns the separators of that tree and some of its keys, with what is beside them. */
  private long[] ends(Shape shape) {
    TreeSet<Long> ends = new TreeSet<>();
    try (BEpsilonTree index = small(shape.create())) {
      assertTrue(index.tree.height() >= 3, "height " + index.tree.height());
      addSeparators(index.tree, index.tree.root(), index.tree.height() - 1, ends);
      model.keySet().stream().filter(key -> key % 11 == 0).forEach(ends::add);
    }
    for (long end : List.copyOf(ends)) {
      ends.add(end - 1);
      ends.add(end + 1);
    }
    ends.add(Long.MIN_VALUE);
    ends.add(Long.MAX_VALUE);
    return ends.stream().mapToLong(Long::longValue).toArray();
  }

  private static void addSeparators(BEpsilonStructure tree, int page, int level, TreeSet<Long> to) {
    if (level == 0) {
      return;
    }
    long at = tree.store.pin(page);
    for (int i = 0; i < NodePage.count(tree.pages, at); i++) {
      if (i > 0) {
        to.add(InnerPage.separator(tree.pages, at, i - 1));
      }
      addSeparators(tree, tree.inner.child(tree.pages, at, i), level - 1, to);
    }
  }

  /** Checks that neither a leaf nor a buffer has anything of a range. */
  private static void assertNothingFrom(long first, long last, BEpsilonTree index, String what) {
    assertNothingBelow(index.tree, index.tree.root(), index.tree.height() - 1, first, last, what);
  }

  private static void assertNothingBelow(
      BEpsilonStructure tree, int page, int level, long first, long last, String what) {
    long at = tree.store.pin(page);
    int count = level == 0 ? NodePage.count(tree.pages, at) : NodePage.messages(tree.pages, at);
    for (int i = 0; i < count; i++) {
      long key =
          level == 0 ? LeafPage.key(tree.pages, at, i) : tree.inner.messageKey(tree.pages, at, i);
      assertFalse(key >= first && key <= last, what + ": page " + page + " has key " + key);
    }
    for (int i = 0; level > 0 && i < NodePage.count(tree.pages, at); i++) {
      int child = tree.inner.child(tree.pages, at, i);
      assertNothingBelow(tree, child, level - 1, first, last, what);
    }
  }

  // ---------------------------------------------------------------- costs

  /** A message for each entry would go down by flushes, and stay in the buffers. */
  @ParameterizedTest
  @EnumSource
  void rangeGoesByPagesWithoutAMessage(Shape shape) {
    CountingPageStore store = new CountingPageStore(inMemory(1024), CountingPageStore.UNLIMITED);
    try (BEpsilonTree index = shape.open(store)) {
      SplittableRandom random = new SplittableRandom(5);
      while (model.size() < 8_000) {
        long key = random.nextInt(1 << 20);
        index.set(key, key);
        model.put(key, key);
      }
      int pages = store.pagesInUse();
      long moved = index.tree.flush.moved;
      store.resetCounters();
      remove(index, 1 << 17, true, 7 << 17, true, "three quarters");
      long pins = store.counters().pins();
      assertTrue(pins < 4_000, "pins: " + pins);
      assertEquals(0, store.counters().allocated());
      assertEquals(moved, index.tree.flush.moved);
      assertEquals(BEpsilonStructure.UNKNOWN, index.tree.meta[BEpsilonStructure.SIZE]);
      assertNothingFrom(1 << 17, 7 << 17, index, "three quarters");
      int inUse = store.pagesInUse();
      assertTrue(inUse < pages / 2, inUse + " of " + pages + " pages are in use");
      index.verify();
      assertHolds(index, "three quarters");
      remove(index, 0, true, 1 << 16, true, "where the size is known");
      assertEquals(model.size(), index.tree.meta[BEpsilonStructure.SIZE]);
      index.verify();
    }
  }

  /** Of a leaf that is within the range, only the count and some keys are read. */
  @ParameterizedTest
  @EnumSource
  void leavesOfTheMiddleAreNotWritten(Shape shape) {
    WrittenLeaves store = new WrittenLeaves(inMemory(256));
    try (BEpsilonTree index = shape.open(store)) {
      for (long key = 0; key < 4_000; key++) {
        index.set(key, key);
        model.put(key, key);
      }
      store.written = 0;
      remove(index, 500, true, 3_500, false, "the middle");
      assertTrue(store.written <= 8, store.written + " leaves were written to");
      index.verify();
      assertHolds(index, "the middle");
    }
  }

  /** Counts how often a leaf was written to. */
  private static final class WrittenLeaves extends ForwardingPageStore {
    int written;

    WrittenLeaves(PageStore store) {
      super(store);
    }

    @Override
    public void unpin(long offset, boolean changed) {
      written += changed && NodePage.level(segment(), offset & -pageBytes()) == 0 ? 1 : 0;
      super.unpin(offset, changed);
    }
  }

  // ---------------------------------------------------------------- failures

  /** Whatever page can't be read: what was removed is the range's first part. */
  @ParameterizedTest
  @EnumSource
  void removalThatFailsHasRemovedTheFirstPart(Shape shape) {
    int whole = 0;
    int halfway = 0;
    boolean hasFailed = true;
    for (int pins = 0; hasFailed; pins++) {
      FailingPageStore store = new FailingPageStore(inMemory(256));
      try (BEpsilonTree index = small(shape.open(store))) {
        store.pinsLeft = pins;
        hasFailed = fails(index);
        store.pinsLeft = Integer.MAX_VALUE;
        if (store.isHalfway) {
          halfway++;
          continue;
        }
        whole++;
        index.verify();
        TreeMap<Long, Long> left = entries(index);
        Long next = hasFailed ? left.ceilingKey(FIRST) : null;
        long end = next == null || next > LAST ? LAST + 1 : next;
        model.keySet().removeIf(key -> key >= FIRST && key < end);
        assertEquals(model, left, "after " + pins + " pins");
      }
    }
    assertTrue(whole > halfway, whole + " were whole, " + halfway + " were not");
  }

  private static boolean fails(BEpsilonTree index) {
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

  @ParameterizedTest
  @EnumSource
  void rangesGoWhereThereIsNoMemory(Shape shape) {
    SplittableRandom random = new SplittableRandom(9);
    MemoryPageStore full = new MemoryPageStore(256, 40 * 256, HugePages.OFF);
    try (BEpsilonTree index = shape.open(full)) {
      for (int round = 0; round < 60; round++) {
        fillUp(index, random);
        removeRandomRange(index, random, "round " + round);
        index.verify();
      }
      assertHolds(index, "at last");
    }
  }

  private void fillUp(BEpsilonTree index, SplittableRandom random) {
    for (long value = 0; value < 1500; value++) {
      long key = random.nextInt(KEYS);
      try {
        index.set(key, value);
        model.put(key, value);
      } catch (MemoryLimitException _) {
        return;
      }
    }
  }

  // ---------------------------------------------------------------- by hand

  /** The newest message decides without what is below it. */
  @ParameterizedTest
  @EnumSource
  void newestMessageOfAKeyDecidesWhetherItIsCounted(Shape shape) {
    int[] kinds = {Message.NONE, Message.PUT, Message.DELETE, Message.ADD};
    long[] keys = LongStream.range(0, 1_000).map(key -> 2 * key).toArray();
    for (int higher : kinds) {
      for (int lower : kinds) {
        for (long key : new long[] {1001, 1002}) {
          try (BEpsilonTree index = shape.create()) {
            index.bulkload(keys, keys);
            BEpsilonStructure tree = index.tree;
            assertTrue(tree.height() >= 4, "height " + tree.height());
            enter(tree, tree.height() - 1, higher, key);
            enter(tree, 1, lower, key);
            tree.meta[BEpsilonStructure.SIZE] = BEpsilonStructure.UNKNOWN;
            int newest = higher != Message.NONE ? higher : lower;
            boolean isThere = newest == Message.NONE ? key % 2 == 0 : newest != Message.DELETE;
            String what = higher + " over " + lower + " of " + key;
            assertEquals(isThere, index.containsKey(key), what);
            long others = key % 2 == 0 ? 0 : 2;
            long removed = index.removeRange(key - 1, true, key + 1, true);
            assertEquals(others + (isThere ? 1 : 0), removed, what);
            index.verify();
            assertNothingFrom(key - 1, key + 1, index, what);
          }
        }
      }
    }
  }

  /** Enters a message into the buffer of a level on the way to a key. */
  private static void enter(BEpsilonStructure tree, int level, int kind, long key) {
    int page = tree.root();
    for (int above = tree.height() - 1; above > level; above--) {
      long at = tree.store.pin(page);
      page = tree.inner.child(tree.pages, at, tree.inner.childSlot(tree.pages, at, key));
    }
    if (kind != Message.NONE) {
      long value = kind == Message.DELETE ? 0 : 5;
      assertTrue(tree.inner.enter(tree.pages, tree.store.pin(page), kind, key, value));
    }
  }

  // ---------------------------------------------------------------- compare

  private void assertHolds(BEpsilonTree index, String what) {
    assertEquals(model, entries(index), what);
    assertEquals(model.size(), index.size(), what);
    long[] keys = model.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    assertEquals(model.values().toString(), Arrays.toString(values), what);
  }

  private static TreeMap<Long, Long> entries(BEpsilonTree index) {
    TreeMap<Long, Long> entries = new TreeMap<>();
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      entries.put(cursor.key(), cursor.value());
    }
    TreeMap<Long, Long> backwards = new TreeMap<>();
    while (cursor.previous()) {
      backwards.put(cursor.key(), cursor.value());
    }
    assertEquals(entries, backwards);
    for (Map.Entry<Long, Long> entry : entries.entrySet()) {
      assertEquals(entry.getValue(), index.get(entry.getKey()));
    }
    return entries;
  }
}
