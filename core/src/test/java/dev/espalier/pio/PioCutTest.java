// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.pio.PioBTree.Geometry;
import dev.espalier.support.Message;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges that leave trees with operations in the queue and in all segments of leaves. */
class PioCutTest {
  /** Keys are even ones below this, so that ranges can also end between two. */
  private static final int KEYS = 1200;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  /** Trees of small pages, and so of many levels. */
  enum Shape {
    ONE_SEGMENT(new Geometry(1, 1, 64, 1, 1000)),
    TWO_SEGMENTS(new Geometry(2, 8, 64, 30, 25)),
    LARGE_QUEUE(new Geometry(3, 40, 5, 40, 100)),
    NARROW_NODES(new Geometry(12, 16, 64, 12, 5000));

    final Geometry geometry;

    Shape(Geometry geometry) {
      this.geometry = geometry;
    }

    PioBTree open(PageStore store) {
      return PioBTree.open(IndexOptions.DEFAULT, store, geometry);
    }

    PioBTree create() {
      return open(inMemory());
    }
  }

  private static MemoryPageStore inMemory() {
    return new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF);
  }

  // ---------------------------------------------------------------- histories

  @ParameterizedTest
  @EnumSource
  void rangesThatGoAndComeBackAgreeWithAMap(Shape shape) {
    for (long seed : TestSize.seeds(2, 48)) {
      history(shape, inMemory(), seed);
      history(shape, new CheckedPageStore(inMemory(), CheckedPageStore.MIN_PINS), seed);
    }
  }

  /** Changes a tree, which is opened anew now and then, as after a restart. */
  private void history(Shape shape, PageStore store, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    model.clear();
    try (store) {
      PioBTree index = shape.open(store);
      for (int step = 0; step < TestSize.of(80, 300); step++) {
        String what = "seed " + seed + ", step " + step;
        write(index, random, random.nextInt(step % 20 == 0 ? 1500 : 150));
        if (random.nextInt(5) == 0) {
          assertEquals(model.size(), index.size()); // which is known from then on
        }
        index.cursor().ceiling(random.nextInt(KEYS)); // finds some that are dead
        removeRandomRange(index, random, what);
        index.verify();
        if (step % 8 == 0) {
          assertHolds(index, what);
          index = shape.open(store);
        }
      }
      assertHolds(index, "seed " + seed);
    }
  }

  /** Writes keys near one another or far apart, with and without a look. */
  private void write(PioBTree index, SplittableRandom random, int writes) {
    long begin = 2L * random.nextInt(KEYS / 2);
    int keys = random.nextBoolean() ? KEYS / 2 : random.nextInt(1, 60);
    boolean grows = random.nextInt(4) > 0;
    for (int i = 0; i < writes; i++) {
      long key =
          random.nextInt(60) == 0 ? extreme(random) : (begin + 2L * random.nextInt(keys)) % KEYS;
      long value = random.nextInt(1000);
      switch (random.nextInt(grows ? 10 : 5)) {
        case 0, 1 -> {
          index.delete(key);
          model.remove(key);
        }
        case 2, 3 -> {
          index.remove(key);
          model.remove(key);
        }
        case 4 -> {
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

  private void removeRandomRange(PioBTree index, SplittableRandom random, String what) {
    long from = random.nextInt(12) == 0 ? extreme(random) : random.nextInt(-3, KEYS + 3);
    long length = random.nextInt(1 + random.nextInt(1 + random.nextInt(1 + KEYS)));
    long to = random.nextInt(12) == 0 ? extreme(random) : Math.max(from, from + length);
    long low = Math.min(from, to);
    long high = Math.max(from, to);
    remove(index, low, random.nextBoolean(), high, random.nextBoolean(), what);
  }

  private void remove(
      PioBTree index, long from, boolean fromInclusive, long to, boolean toInclusive, String what) {
    boolean isEmpty = from == to && !(fromInclusive && toInclusive);
    NavigableMap<Long, Long> range =
        isEmpty ? new TreeMap<>() : model.subMap(from, fromInclusive, to, toInclusive);
    assertEquals(range.size(), index.removeRange(from, fromInclusive, to, toInclusive), what);
    range.clear();
  }

  // ---------------------------------------------------------------- ends

  /** Each pair of ends meets the same tree, with operations on all of its levels. */
  @ParameterizedTest
  @EnumSource
  void rangeBetweenAnyTwoEndsGoes(Shape shape) {
    long[] ends = ends(shape);
    assertTrue(ends.length > 60, "ends: " + ends.length);
    int step = TestSize.isThorough() ? 5 : 17;
    for (int i = 0; i < ends.length; i++) {
      for (int j = i; j < ends.length; j += i == 0 || j < i + 3 ? 1 : step) {
        try (PioBTree index = small(shape.create())) {
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
  private PioBTree small(PioBTree index) {
    model.clear();
    SplittableRandom random = new SplittableRandom(11);
    index.set(Long.MIN_VALUE, 1);
    index.set(Long.MAX_VALUE, 2);
    model.put(Long.MIN_VALUE, 1L);
    model.put(Long.MAX_VALUE, 2L);
    for (long value = 0; value < 1400; value++) {
      long key = 2L * random.nextInt(KEYS / 2);
      if (random.nextInt(8) == 0) {
        index.delete(key);
        model.remove(key);
      } else {
        index.set(key, value);
        model.put(key, value);
      }
    }
    return index;
  }

  /** Returns the separators of that tree and some of its keys, with what is beside them. */
  private long[] ends(Shape shape) {
    TreeSet<Long> ends = new TreeSet<>();
    try (PioBTree index = small(shape.create())) {
      assertTrue(index.tree.queue.count() > 0, "operations wait in the queue");
      addSeparators(index.tree, index.tree.root(), index.tree.height() - 1, ends);
      model.keySet().stream().filter(key -> key % 17 == 0).forEach(ends::add);
    }
    for (long end : List.copyOf(ends)) {
      ends.add(end - 1);
      ends.add(end + 1);
    }
    ends.add(Long.MIN_VALUE);
    ends.add(Long.MAX_VALUE);
    return ends.stream().mapToLong(Long::longValue).toArray();
  }

  private static void addSeparators(PioStructure tree, int page, int level, TreeSet<Long> to) {
    long at = tree.store.pin(page);
    for (int i = 0; i < EntryPage.count(tree.pages, at); i++) {
      if (i > 0) {
        to.add(InnerPage.separator(tree.pages, at, i - 1));
      }
      if (level > 1) {
        addSeparators(tree, tree.inner.child(tree.pages, at, i), level - 1, to);
      }
    }
    tree.store.unpin(at, false);
  }

  /** Checks that no leaf has anything of a range, and the queue no put. */
  static void assertNothingFrom(long first, long last, PioBTree index, String what) {
    PioStructure tree = index.tree;
    LeafPath path = new LeafPath(tree);
    for (long key = first; ; key = path.high + 1) {
      path.find(key);
      for (int i = 0; i < path.segmentCount; i++) {
        long at = tree.store.pin(path.segments[i]);
        int from = tree.entries.lowerBound(tree.pages, at, first);
        int to = tree.entries.upperBound(tree.pages, at, last);
        tree.store.unpin(at, false);
        assertTrue(from >= to, what + ": page " + path.segments[i] + " has some");
      }
      if (path.high >= last) {
        break;
      }
    }
    OperationQueue queue = tree.queue;
    for (int i = 0; i < queue.sortedPages() + queue.appendedPages(); i++) {
      long at = tree.store.pin(queue.number(i));
      int from = tree.entries.lowerBound(tree.pages, at, first);
      int to = tree.entries.upperBound(tree.pages, at, last);
      int puts = tree.entries.puts(tree.pages, at, from, Math.max(from, to));
      tree.store.unpin(at, false);
      assertEquals(0, puts, what + ": page " + i + " of the queue has some");
    }
  }

  // ---------------------------------------------------------------- all

  /** A directory, a root and a leaf are left where the size is known. */
  @ParameterizedTest
  @EnumSource
  void everythingGoesAndAllPagesAreGivenBack(Shape shape) {
    try (PioBTree index = small(shape.create())) {
      assertEquals(model.size(), index.size());
      remove(index, Long.MIN_VALUE, true, Long.MAX_VALUE, true, "all");
      index.verify();
      assertEquals(0, index.size());
      assertEquals(3, index.tree.store.pagesInUse());
      small(index);
      remove(index, Long.MIN_VALUE, true, Long.MAX_VALUE, true, "all");
      index.verify();
      assertFalse(index.cursor().first());
      int inUse = index.tree.store.pagesInUse();
      assertEquals(3 + index.tree.queue.pages(), inUse);
      assertEquals(2, index.tree.height());
      small(index);
      index.verify();
      assertHolds(index, "again");
    }
  }

  /** What is left small at the ends merges: no range leaves pages behind. */
  @ParameterizedTest
  @EnumSource
  void rangesOfWhichFewEntriesAreLeftLeaveFewPages(Shape shape) {
    long[] keys = LongStream.range(0, 6_000).toArray();
    try (PioBTree index = shape.create()) {
      index.bulkload(keys, keys);
      for (long key : keys) {
        model.put(key, key);
      }
      for (long from = 5_950; from >= 0; from -= 50) {
        remove(index, from, true, from + 49, false, "from " + from);
      }
      index.verify();
      assertHolds(index, "one of fifty");
      int inUse = index.tree.store.pagesInUse();
      assertTrue(inUse < 60, "pages in use: " + inUse);
    }
  }

  /**
   * Nodes of which one leaf is left merge with neighbours that are more than three quarters full.
   */
  @Test
  void nodesWithOneLeafMergeWithFullerOnes() {
    long[] keys = LongStream.range(0, 12 * 240).toArray();
    try (PioBTree index = Shape.TWO_SEGMENTS.create()) {
      index.bulkload(
          LongEntrySource.of(keys, keys, keys.length), 0.85, keys.length, ProgressListener.NONE);
      int parents = parentsOfLeaves(index.rootView(), 12);
      assertEquals(12, parents);
      for (long from = 240; from < keys.length; from += 2 * 240) {
        assertEquals(220, index.removeRange(from, true, from + 220, false)); // all but one leaf
        parents--;
        assertEquals(parents, parentsOfLeaves(index.rootView(), 1));
      }
      index.verify();
    }
  }

  /** Returns how many nodes have leaves below them, each so many at least. */
  private static int parentsOfLeaves(NodeView node, int least) {
    if (node.level() == 1) {
      assertTrue(node.children() >= least, "leaves: " + node.children());
      return 1;
    }
    int parents = 0;
    for (int i = 0; i < node.children(); i++) {
      parents += parentsOfLeaves(node.child(i), least);
    }
    return parents;
  }

  // ---------------------------------------------------------------- no memory

  @ParameterizedTest
  @EnumSource
  void rangesGoWhereThereIsNoMemory(Shape shape) {
    SplittableRandom random = new SplittableRandom(9);
    int pages = 60 + shape.geometry.queuePages();
    MemoryPageStore full = new MemoryPageStore(256, 256L * pages, HugePages.OFF);
    try (PioBTree index = shape.open(full)) {
      for (int round = 0; round < 60; round++) {
        fillUp(index, random);
        removeRandomRange(index, random, "round " + round);
        index.verify();
      }
      assertHolds(index, "at last");
    }
  }

  private void fillUp(PioBTree index, SplittableRandom random) {
    for (long value = 0; value < 2500; value++) {
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

  /** Where the operation of a key is, the oldest place first. */
  private enum Place {
    FIRST_SEGMENT,
    LAST_SEGMENT,
    SORTED,
    APPENDED
  }

  @Test
  void newestOperationOfAKeyDecidesWhetherItIsCounted() {
    int[] kinds = {Message.NONE, Message.PUT, Message.DELETE};
    for (int number = 0; number < 81; number++) {
      int[] kind = {
        kinds[number % 3], kinds[number / 3 % 3], kinds[number / 9 % 3], kinds[number / 27]
      };
      for (boolean sizeIsKnown : new boolean[] {false, true}) {
        checkCountOf(kind, sizeIsKnown);
      }
    }
  }

  private static void checkCountOf(int[] kind, boolean sizeIsKnown) {
    long key = 501;
    long[] keys = LongStream.range(0, 500).map(i -> 2 * i).toArray();
    int newest = Message.NONE;
    for (int each : kind) {
      newest = each == Message.NONE ? newest : each;
    }
    boolean isThere = newest == Message.PUT;
    String what = Arrays.toString(kind);
    try (PioBTree index = Shape.TWO_SEGMENTS.create()) {
      index.bulkload(
          LongEntrySource.of(keys, keys, keys.length), 0.5, keys.length, ProgressListener.NONE);
      makeRoom(index, key);
      for (Place place : Place.values()) {
        enter(index, place, kind[place.ordinal()], key);
      }
      assertEquals(isThere, index.containsKey(key), what);
      long size = keys.length - 1 + (isThere ? 1 : 0);
      index.tree.meta[PioStructure.SIZE] = sizeIsKnown ? size : PioStructure.UNKNOWN;
      index.verify();
      assertEquals(isThere ? 3 : 2, index.removeRange(key - 1, true, key + 1, true), what);
      index.verify();
      assertNothingFrom(key - 1, key + 1, index, what);
      assertEquals(keys.length - 3, index.size(), what);
    }
  }

  /** Removes another key from the first segment of the leaf, which is full. */
  private static void makeRoom(PioBTree index, long key) {
    PioStructure tree = index.tree;
    LeafPath path = tree.leaves.path;
    path.find(key);
    long at = tree.store.pin(path.segments[0]);
    boolean isFirstOther = EntryPage.key(tree.pages, at, 0) < key - 1;
    int slot = isFirstOther ? 0 : EntryPage.count(tree.pages, at) - 1;
    tree.entries.remove(tree.pages, at, slot);
    tree.meta[PioStructure.IN_LEAVES]--;
    tree.meta[PioStructure.SIZE]--;
  }

  /** Enters an operation in its place; the leaf has a last segment from that one's turn on. */
  private static void enter(PioBTree index, Place place, int kind, long key) {
    PioStructure tree = index.tree;
    LeafPath path = tree.leaves.path;
    path.find(key);
    if (place == Place.LAST_SEGMENT) {
      assertEquals(1, path.segmentCount);
      int page = tree.allocate();
      EntryPage.initialize(tree.pages, tree.store.pin(page), EntryPage.LEAF);
      path.changeSegment(1, page);
      path.find(key);
    }
    if (kind == Message.NONE) {
      return;
    }
    if (place == Place.FIRST_SEGMENT || place == Place.LAST_SEGMENT) {
      long at = tree.store.pin(path.segments[place.ordinal()]);
      assertTrue(tree.entries.enter(tree.pages, at, kind, key, kind == Message.PUT ? 5 : 0));
      tree.meta[PioStructure.IN_LEAVES] += PioStructure.weight(kind);
    } else if (kind == Message.PUT) {
      index.set(key, 7);
    } else {
      index.delete(key);
    }
    if (place == Place.SORTED) {
      tree.queue.sort();
    }
  }

  // ---------------------------------------------------------------- compare

  private void assertHolds(PioBTree index, String what) {
    assertEquals(model, entries(index), what);
    assertEquals(model.size(), index.size(), what);
    long[] keys = model.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    assertEquals(model.values().toString(), Arrays.toString(values), what);
  }

  static TreeMap<Long, Long> entries(PioBTree index) {
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
    return entries;
  }
}
