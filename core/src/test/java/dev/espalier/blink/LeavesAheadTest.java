// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which leaves cursors ask for ahead, where they are on a device. */
@Tag("fallback-too")
class LeavesAheadTest {
  private static final int ENTRIES = 20_000;

  /** Notes what is asked for. */
  private static final class AskedPages extends ForwardingPageStore {
    final List<Integer> asked = new ArrayList<>();
    boolean areThere;
    int unreadable;

    private final PageStore behind;

    AskedPages() {
      this(new MemoryPageStore(1024, Long.MAX_VALUE, HugePages.OFF));
    }

    private AskedPages(PageStore behind) {
      super(behind);
      this.behind = behind;
    }

    @Override
    public boolean pagesStay() {
      return false;
    }

    @Override
    public long look(int page) {
      return areThere ? behind.look(page) : -1;
    }

    @Override
    public boolean isStill(long look) {
      return behind.isStill(look);
    }

    @Override
    public long pin(int page) {
      if (page == unreadable) {
        throw new IllegalStateException("page " + page + " can't be read, says a test");
      }
      return super.pin(page);
    }

    @Override
    public void readAhead(int[] pages, int from, int count) {
      for (int i = from; i < from + count; i++) {
        asked.add(pages[i]);
      }
    }
  }

  enum Kind {
    B_LINK {
      @Override
      LinkedIndex open(PageStore store) {
        return BLinkTree.open(IndexOptions.DEFAULT, store);
      }
    },
    FPB_LINK {
      @Override
      LinkedIndex open(PageStore store) {
        return FpbLinkTree.open(IndexOptions.DEFAULT, store);
      }
    };

    abstract LinkedIndex open(PageStore store);
  }

  private final AskedPages store = new AskedPages();
  private final SplittableRandom random = new SplittableRandom(1);

  private LinkedIndex filled(Kind kind) {
    LinkedIndex index = kind.open(store);
    for (int i = 0; i < ENTRIES; i++) {
      long key = (i * 7919L) % ENTRIES; // Each once, in no order.
      index.put(key, -key);
    }
    return index;
  }

  /** Returns the first key of a leaf. */
  private long firstOf(LinkedIndex index, int page) {
    LongCursor leaf = index.tree.leafCursor(page);
    assertTrue(leaf.first());
    return leaf.key();
  }

  private void assertMostAskedOnce(LinkedIndex index) {
    assertEquals(store.asked.size(), new HashSet<>(store.asked).size(), "asked for twice");
    long leaves = index.statistics().leafNodes();
    assertTrue(store.asked.size() > 0.9 * leaves, store.asked.size() + " of " + leaves);
  }

  @ParameterizedTest
  @EnumSource
  void scansAskForMostLeavesOnceAndInOrder(Kind kind) {
    LinkedIndex index = filled(kind);
    LongCursor cursor = index.cursor();
    long key = 0;
    while (cursor.next()) {
      assertEquals(key++, cursor.key());
    }
    assertMostAskedOnce(index);
    assertEquals(
        store.asked.stream()
            .sorted((a, b) -> Long.compare(firstOf(index, a), firstOf(index, b)))
            .toList(),
        store.asked);
    store.asked.clear();
    while (cursor.previous()) {
      assertEquals(--key, cursor.key());
    }
    assertMostAskedOnce(index);
    assertEquals(
        store.asked.stream()
            .sorted((a, b) -> Long.compare(firstOf(index, b), firstOf(index, a)))
            .toList(),
        store.asked);
  }

  @ParameterizedTest
  @EnumSource
  void scansByRunsDoTheSame(Kind kind) {
    LinkedIndex index = filled(kind);
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    long entries = 0;
    while (cursor.nextRun(run)) {
      entries += run.count();
    }
    assertEquals(ENTRIES, entries);
    assertMostAskedOnce(index);
  }

  @ParameterizedTest
  @EnumSource
  void scansAskForNothingBehindTheirEnd(Kind kind) {
    LinkedIndex index = filled(kind);
    for (int length : new int[] {1_000, 300, 2}) {
      for (long from = 500; from < 3_000; from += 97) {
        store.asked.clear();
        LongCursor cursor = index.cursor();
        cursor.scanTo(from + length);
        assertTrue(cursor.ceiling(from));
        while (cursor.key() < from + length) {
          assertTrue(cursor.next());
        }
        assertEquals(length > 2, !store.asked.isEmpty(), store.asked::toString);
        for (int page : store.asked) {
          long first = firstOf(index, page);
          assertTrue(first > from && first <= from + length, "a leaf from " + first);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void lookupsAndScansOfFewEntriesAskForNothing(Kind kind) {
    LinkedIndex index = kind.open(store);
    long[] keys = LongStream.range(0, ENTRIES).toArray();
    index.bulkload(keys, keys); // No leaf has fewer entries than a scan.
    LongCursor cursor = index.cursor();
    for (long key = 0; key < ENTRIES - 20; key += 7) {
      assertTrue(cursor.floor(key));
      for (int i = 0; i < 5; i++) {
        assertTrue(cursor.next());
      }
      assertTrue(cursor.ceiling(key + 5));
      for (int i = 0; i < 5; i++) {
        assertTrue(cursor.previous());
      }
    }
    assertEquals(List.of(), store.asked);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsThereIsNotAskedFor(Kind kind) {
    LinkedIndex index = filled(kind);
    store.areThere = true;
    LongCursor cursor = index.cursor();
    for (int i = 0; i < ENTRIES / 2; i++) {
      assertTrue(cursor.next());
    }
    assertEquals(List.of(), store.asked);
    store.areThere = false;
    for (int i = 0; i < ENTRIES / 2; i++) {
      assertTrue(cursor.next());
    }
    assertFalse(store.asked.isEmpty());
    assertTrue(firstOf(index, store.asked.getFirst()) > ENTRIES / 2);
  }

  @ParameterizedTest
  @EnumSource
  void aPageAboveThatCanNotBeReadStopsNoScan(Kind kind) {
    LinkedIndex index = filled(kind);
    LongCursor cursor = index.cursor();
    assertTrue(cursor.ceiling(ENTRIES / 3));
    store.unreadable = index.tree.find(1, ENTRIES / 2);
    int entries = 1;
    while (cursor.next()) {
      entries++;
    }
    assertEquals(ENTRIES - ENTRIES / 3, entries);
    store.unreadable = 0;
  }

  @ParameterizedTest
  @EnumSource
  void scansAreRightWhileTheTreeChanges(Kind kind) {
    LinkedIndex index = filled(kind);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < ENTRIES; key++) {
      model.put(key, -key);
    }
    LongCursor cursor = index.cursor();
    for (int step = 0; step < 40_000; step++) {
      boolean goesOn = step / 5_000 % 2 == 0 ? cursor.next() : cursor.previous();
      if (goesOn) {
        assertEquals(model.get(cursor.key()), cursor.value());
      }
      long key = random.nextLong(2 * ENTRIES);
      if (random.nextBoolean()) {
        index.put(key, step);
        model.put(key, (long) step);
      } else {
        model.subMap(key, key + 40).clear();
        index.removeRange(key, true, key + 40, false);
      }
    }
    assertEquals(model.size(), index.size());
    LongCursor all = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertTrue(all.next());
      assertEquals(entry.getKey(), all.key());
      assertEquals(entry.getValue(), all.value());
    }
    index.verify();
  }

  @ParameterizedTest
  @EnumSource
  void rangesThatGoAreAskedForAhead(Kind kind) {
    LinkedIndex index = filled(kind);
    assertEquals(10_000, index.removeRange(2_000, true, 12_000, false));
    assertEquals(store.asked.size(), new HashSet<>(store.asked).size(), "asked for twice");
    assertTrue(store.asked.size() > 100, store.asked::toString);
    store.asked.clear();
    assertEquals(1, index.removeRange(100, true, 100, true));
    assertEquals(List.of(), store.asked);
    index.verify();
  }
}
