// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.pio.PioBTree.Geometry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the removal of a range does to pages, and what it leaves when one of them fails. */
class PioCutCostsTest {
  private static final Geometry GEOMETRY = new Geometry(2, 16, 64, 100, 500);

  /** The ends of a range that fails. */
  private static final long FIRST = 100;

  private static final long LAST = 1_000;

  private static final int ENTRIES = 1_200;

  private static MemoryPageStore inMemory(int pageBytes) {
    return new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.OFF);
  }

  private static PioBTree open(PageStore store) {
    return PioBTree.open(IndexOptions.DEFAULT, store, GEOMETRY);
  }

  private static TreeMap<Long, Long> fillAtRandom(PioBTree index, int entries) {
    SplittableRandom random = new SplittableRandom(5);
    TreeMap<Long, Long> model = new TreeMap<>();
    while (model.size() < entries) {
      long key = random.nextInt(1 << 20);
      index.set(key, key);
      model.put(key, key);
    }
    return model;
  }

  // ---------------------------------------------------------------- pages

  /** A deletion for each entry would go through the queue to leaves that stay. */
  @Test
  void rangeGoesByPagesWithoutADeletion() {
    CountingPageStore store = new CountingPageStore(inMemory(1024), CountingPageStore.UNLIMITED);
    try (PioBTree index = open(store)) {
      TreeMap<Long, Long> model = fillAtRandom(index, 20_000);
      int pages = store.pagesInUse();
      int waiting = index.tree.queue.count();
      store.resetCounters();
      long first = 1 << 17;
      long last = 7 << 17;
      TreeMap<Long, Long> range = new TreeMap<>(model.subMap(first, true, last, true));
      assertEquals(range.size(), index.removeRange(first, true, last, true));
      model.keySet().removeAll(range.keySet());
      long pins = store.counters().pins();
      assertTrue(pins < range.size() / 4, pins + " pins for " + range.size() + " entries");
      assertEquals(0, store.counters().allocated());
      assertTrue(index.tree.queue.count() < waiting / 2, "the queue has " + waiting);
      assertEquals(PioStructure.UNKNOWN, index.tree.meta[PioStructure.SIZE]);
      PioCutTest.assertNothingFrom(first, last, index, "three quarters");
      int inUse = store.pagesInUse();
      assertTrue(inUse < pages / 2, inUse + " of " + pages + " pages are in use");
      index.verify();
      assertEquals(model.size(), index.size());
      index.removeRange(0, true, 1 << 16, true);
      model.headMap(1L << 16, true).clear();
      assertEquals(model.size(), index.tree.meta[PioStructure.SIZE]);
      index.verify();
      assertEquals(model, PioCutTest.entries(index));
    }
  }

  /** Of a leaf that is within the range, some keys and the kinds of operations are read. */
  @Test
  void leavesOfTheMiddleAreNotWritten() {
    WatchedPageStore store = new WatchedPageStore(inMemory(256));
    try (PioBTree index = open(store)) {
      long[] keys = LongStream.range(0, 6_000).toArray();
      index.bulkload(keys, keys);
      store.written = 0;
      assertEquals(5_000, index.removeRange(500, true, 5_500, false));
      assertTrue(store.written <= 16, store.written + " leaves were written to");
      index.verify();
      assertEquals(1_000, index.size());
    }
  }

  /** A few operations are not worth that thousands behind them move. */
  @Test
  void rangeOfFewOperationsMovesNoOthersInTheQueue() {
    WatchedPageStore store = new WatchedPageStore(inMemory(256));
    Geometry geometry = new Geometry(2, 56, 64, 5000, 500);
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
      for (long key = 0; key < 600; key++) {
        index.put(key, key);
      }
      index.tree.queue.sort();
      store.written = 0;
      assertEquals(3, index.removeRange(100, true, 103, false));
      assertTrue(store.written <= 2, store.written + " pages were written to");
      assertEquals(600, index.tree.queue.sorted());
      index.verify();
      assertEquals(300, index.removeRange(300, true, 600, false));
      assertEquals(300, index.tree.queue.sorted());
      index.verify();
      assertEquals(297, index.size());
    }
  }

  /** Others wait while the tree is alone, and so for few pages. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void partIsOfFewPages(int segments) {
    WatchedPageStore store = new WatchedPageStore(inMemory(512));
    Geometry geometry = new Geometry(segments, 16, 64, 100, 500);
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
      TreeMap<Long, Long> model = fillAtRandom(index, 20_000);
      store.watched = index.tree;
      int generation = index.tree.generation;
      TreeMap<Long, Long> range = new TreeMap<>(model.subMap(1_000L, 1_000_000L));
      assertEquals(range.size(), index.removeRange(1_000, true, 1_000_000, false));
      int parts = index.tree.generation - generation;
      assertTrue(parts > 10, "parts: " + parts);
      assertTrue(store.mostFreed > 8 && store.mostFreed <= 70, "freed: " + store.mostFreed);
      assertTrue(store.mostPins <= 250, "pins: " + store.mostPins);
      store.watched = null;
      index.verify();
      model.keySet().removeAll(range.keySet());
      assertEquals(model, PioCutTest.entries(index));
    }
  }

  /** Counts how often a page of operations is written to, and what is done while alone. */
  private static final class WatchedPageStore extends ForwardingPageStore {
    int written;
    @Nullable PioStructure watched;
    int mostPins;
    int mostFreed;
    private int generation;
    private int pins;
    private int freed;

    WatchedPageStore(PageStore store) {
      super(store);
    }

    /** Notes what is done in one part, before the generation that follows. */
    private void note(int morePins, int moreFreed) {
      PioStructure tree = watched;
      if (tree == null || !tree.epochs.isAlone()) {
        return;
      }
      if (generation != tree.generation) {
        generation = tree.generation;
        pins = 0;
        freed = 0;
      }
      pins += morePins;
      freed += moreFreed;
      mostPins = Math.max(mostPins, pins);
      mostFreed = Math.max(mostFreed, freed);
    }

    @Override
    public long pin(int page) {
      note(1, 0);
      return super.pin(page);
    }

    @Override
    public void free(int page) {
      note(0, 1);
      super.free(page);
    }

    @Override
    public void unpin(long offset, boolean changed) {
      written += changed && EntryPage.level(segment(), offset & -pageBytes()) <= 0 ? 1 : 0;
      super.unpin(offset, changed);
    }
  }

  // ---------------------------------------------------------------- failures

  /** Whatever page can't be read: what was removed is the range's first part. */
  @Test
  void removalThatFailsHasRemovedTheFirstPart() {
    int whole = 0;
    int halfway = 0;
    boolean hasFailed = true;
    for (int pins = 0; hasFailed; pins++) {
      FailingPageStore store = new FailingPageStore(inMemory(256));
      try (PioBTree index = open(store)) {
        TreeMap<Long, Long> model = new TreeMap<>();
        for (long i = 0; i < ENTRIES; i++) {
          long key = i * 1_777 % ENTRIES;
          index.set(key, i);
          model.put(key, i);
        }
        store.pinsLeft = pins;
        hasFailed = fails(index);
        store.pinsLeft = Integer.MAX_VALUE;
        if (store.halfway != null) {
          halfway++;
          continue;
        }
        whole++;
        index.verify();
        TreeMap<Long, Long> left = PioCutTest.entries(index);
        Long next = hasFailed ? left.ceilingKey(FIRST) : null;
        long end = next == null || next > LAST ? LAST + 1 : next;
        model.keySet().removeIf(key -> key >= FIRST && key < end);
        assertEquals(model, left, "after " + pins + " pins");
        index.set(FIRST, 1); // which finds no lock held
      }
    }
    assertTrue(whole > halfway, whole + " were whole, " + halfway + " were not");
  }

  private static boolean fails(PioBTree index) {
    try {
      index.removeRange(FIRST, true, LAST, true);
      return false;
    } catch (UncheckedIOException failure) {
      assertNotNull(failure.getMessage());
      return true;
    }
  }

  /** Fails to read any page after so many pins. */
  private static final class FailingPageStore extends ForwardingPageStore {
    int pinsLeft = Integer.MAX_VALUE;
    @Nullable Throwable halfway;

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
      halfway = cause;
    }
  }
}
