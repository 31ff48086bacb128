// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.RecordingPageStore;
import dev.espalier.support.AskedAhead;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which leaf pages scans ask for ahead (fpB+ 2.2). */
class ReadAheadTest {
  /** What a leaf page of 256 bytes holds. */
  private static final int PER_LEAF = 12;

  private static final int LEAVES = 200;

  /** The most pages ahead. */
  private final RecordingPageStore store =
      new RecordingPageStore(new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF));

  private final DiskOptimizedBPlusTree tree =
      DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store);
  private final LongRun run = new LongRun();
  private List<Integer> leaves = List.of();

  @BeforeEach
  void load() {
    long[] keys = LongStream.range(0, LEAVES * PER_LEAF).toArray();
    tree.bulkload(keys, keys);
    List<Integer> found = new ArrayList<>();
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      found.add(tree.tree.findLeaf((long) leaf * PER_LEAF));
    }
    leaves = List.copyOf(found);
  }

  @AfterEach
  void close() {
    tree.close();
  }

  @Test
  void scanAsksForEveryLeafPageButTheFirstOnceAndInOrder() {
    LongCursor cursor = tree.cursor();
    while (cursor.next()) {
      // all of it
    }
    assertEquals(leaves.subList(1, LEAVES), store.allAsked());
  }

  @Test
  void backwardScanAsksForEveryLeafPageButTheLastOnceAndInOrder() {
    LongCursor cursor = tree.cursor();
    while (cursor.previous()) {
      // all of it
    }
    assertEquals(leaves.subList(0, LEAVES - 1).reversed(), store.allAsked());
  }

  @Test
  void scanAsksForMoreWithEveryStepAndThenForWholeWaves() {
    LongCursor cursor = tree.cursor();
    cursor.nextRun(run);
    assertTrue(store.asked().isEmpty(), "the first leaf page may hold the whole range");
    int next = 1;
    for (int step = 1; step < 100; step++) {
      store.forget();
      cursor.nextRun(run);
      int ahead = next - step;
      int wave = step < 3 ? 2 * step : AskedAhead.WAVE;
      if (ahead + wave <= AskedAhead.DISTANCE) {
        assertEquals(
            List.of(leaves.subList(next, next + wave)), store.asked(), "in leaf page " + step);
        next += wave;
      } else {
        assertEquals(List.of(), store.asked(), "in leaf page " + step);
      }
    }
    assertTrue(next > 100 + AskedAhead.DISTANCE - AskedAhead.WAVE, "asked up to page " + next);
  }

  @Test
  void scanToAKeyAsksForNoPageBeyondThatKeys() {
    for (int to : new int[] {3, 4, 20, 33, 34, 90, LEAVES - 1}) {
      for (int from : new int[] {0, 3, 40}) {
        store.forget();
        LongCursor cursor = tree.cursor();
        cursor.scanTo((long) to * PER_LEAF + 5);
        cursor.ceiling((long) from * PER_LEAF + 1);
        while (cursor.key() < (long) to * PER_LEAF + 5 && cursor.nextRun(run)) {
          // up to the end
        }
        assertEquals(
            from < to ? leaves.subList(from + 1, to + 1) : List.of(),
            store.allAsked(),
            "from leaf page " + from + " to " + to);
      }
    }
  }

  @Test
  void scanThatBeginsBeyondItsEndAsksForNothing() {
    LongCursor cursor = tree.cursor();
    cursor.scanTo(100);
    cursor.ceiling(50 * PER_LEAF);
    for (int i = 0; i < 5; i++) {
      cursor.nextRun(run);
    }
    assertEquals(List.of(), store.allAsked());
  }

  @Test
  void newEndMayAllowMore() {
    LongCursor cursor = tree.cursor();
    cursor.scanTo(2 * PER_LEAF);
    cursor.first();
    cursor.nextRun(run);
    cursor.nextRun(run);
    assertEquals(leaves.subList(1, 3), store.allAsked());
    store.forget();
    cursor.scanTo(4 * PER_LEAF);
    while (cursor.key() < 4 * PER_LEAF && cursor.nextRun(run)) {
      // up to the end
    }
    assertEquals(leaves.subList(2, 5), store.allAsked());
  }

  @Test
  void scanThatTurnsRoundAsksForPagesTheOtherWay() {
    LongCursor cursor = tree.cursor();
    cursor.ceiling(100 * PER_LEAF);
    for (int i = 0; i < PER_LEAF; i++) {
      cursor.next();
    }
    assertEquals(leaves.subList(101, 103), store.allAsked());
    store.forget();
    for (int i = 0; i < PER_LEAF + 1; i++) {
      cursor.previous();
    }
    assertEquals(
        List.of(100, 99, 98, 97, 96, 95).stream().map(leaves::get).toList(), store.allAsked());
  }

  @Test
  void pointLookupsAndSeeksAskForNothing() {
    tree.get(77);
    tree.getAll(new long[] {5, 700}, new long[2]);
    tree.cursor().ceiling(500);
    tree.cursor().last();
    assertEquals(List.of(), store.asked());
  }
}
