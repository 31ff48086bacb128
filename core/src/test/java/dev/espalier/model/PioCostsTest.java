// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The numerical model against numbers worked out by hand: 100,000 entries in full pages of 4 KiB,
 * 112 pages of memory; P_r = 100, P_w = 200, P_r(2) = 110, P'_r = 10, P'_w = 20.
 *
 * <pre>
 *   PIO B-tree, L = 2   450 operations in a leaf, 254 children: 223 leaves of 446 pages, and the root
 *     queue of 11       2475 operations; 101 pages are left, 100 of them for leaves:
 *                       346 / 446 of the leaves' pages are not in memory
 *                       Searches look into the queue as well. A page stays for t = 56.6564 of them,
 *                       as (1 - e^-t) + 446 (1 - e^(-t/223)) + 11 (1 - e^(-t/11)) = 112:
 *                       e^(-t/223) = 0.775642 of the leaves and e^(-t/11) = 0.005796 of the queue
 *   B+-tree             254 entries in a leaf, 338 children: 394 leaves, 2 parents, the root
 *                       109 pages for leaves: 285 / 394 are not in memory
 * </pre>
 */
final class PioCostsTest {
  private static final double CLOSE = 1e-9;
  private static final double ROUNDED = 1e-4;
  private static final double PIO_MISS = 346.0 / 446;
  private static final double SEARCH_MISS = 0.775642;
  private static final double QUEUE_MISS = 0.005796;
  private static final double B_PLUS_MISS = 285.0 / 394;

  private final DeviceTimes times =
      new DeviceTimes(100, 200, List.of(100.0, 110.0, 130.0, 180.0, 300.0), 10, 20);
  private final PioCosts costs = costs(100_000, 112, 2475, 0);

  private PioCosts costs(long entries, int memoryPages, int batchCount, double logWrite) {
    return new PioCosts(times, entries, 4096, 1, memoryPages, batchCount, logWrite);
  }

  @Test
  void bPlusTreeReadsAndWritesLeavesThatAreNotInMemory() {
    assertEquals(B_PLUS_MISS, costs.bPlusSearchTransfers().read(), CLOSE);
    assertEquals(B_PLUS_MISS * 100, costs.bPlusSearch(), CLOSE);
    // A leaf splits for every 0.3 * 254 inserts, with two more pages to write.
    double written = B_PLUS_MISS * (1 + 2 / 76.2);
    assertEquals(written, costs.bPlusInsertTransfers().written(), CLOSE);
    assertEquals(B_PLUS_MISS * 100 + written * 200, costs.bPlusInsert(), CLOSE);
  }

  @Test
  void levelsShareTheMemoryByHowOftenTheirNodesAreMet() {
    // 100 leaves of 2 pages below 10 nodes and the root; e^-t is the same for all: miss^nodes.
    BufferedLevels levels = BufferedLevels.of(1000, 10, 2, 10, 1);
    double[] misses = levels.misses(50);
    assertEquals(2, levels.leafLevel());
    double leaf = Math.pow(misses[2], 100);
    assertEquals(1, Math.pow(misses[1], 10) / leaf, CLOSE);
    assertEquals(1, misses[0] / leaf, CLOSE);
    assertEquals(50, 1 * (1 - misses[0]) + 10 * (1 - misses[1]) + 200 * (1 - misses[2]), CLOSE);
    assertEquals(0, levels.misses(211)[2], CLOSE); // There is room for all.
  }

  @Test
  void queueSharesTheMemoryAsALevelDoes() {
    BufferedLevels levels = BufferedLevels.of(1000, 10, 2, 10, 1);
    double[] misses = levels.misses(50, 20);
    double leaf = Math.pow(misses[2], 100);
    assertEquals(1, Math.pow(misses[1], 10) / leaf, CLOSE);
    assertEquals(1, Math.pow(misses[3], 20) / leaf, CLOSE);
    double inTree = 1 * (1 - misses[0]) + 10 * (1 - misses[1]) + 200 * (1 - misses[2]);
    assertEquals(50, inTree + 20 * (1 - misses[3]), CLOSE);
    assertEquals(0, levels.misses(231, 20)[3], CLOSE); // There is room for all.
  }

  @Test
  void searchReadsBothPagesOfALeafTogether() {
    assertEquals(2 * SEARCH_MISS + QUEUE_MISS, costs.searchTransfers(2, 11).read(), ROUNDED);
    assertEquals(110 * SEARCH_MISS + 100 * QUEUE_MISS, costs.search(2, 11), 100 * ROUNDED);
  }

  @Test
  void queueThatIsALargePartOfMemorySlowsSearchesDown() {
    assertTrue(costs.search(2, 56) > 1.2 * costs.search(2, 11), () -> "" + costs.search(2, 56));
  }

  @Test
  void aWholeQueueMeetsNearlyAllLeaves() {
    // 2475 random keys leave out a leaf of 223 with (1 - 1/223)^2475 = 1.4747e-5.
    double met = 223 * (1 - 1.4747e-5);
    assertEquals(2475 / met, costs.shared(223, 11), ROUNDED);
    assertEquals(2475, costs.shared(1, 11), CLOSE); // all of them the root
  }

  @Test
  void aBatchGoesWhereOperationsHaveWaitedForTheLongest() {
    // 825 of 2475: 825 / (2 * 2475 - 825) = 1/5 of the keys, which has 1/3 of the operations.
    PioCosts inParts = costs(100_000, 112, 825, 0);
    double leaves = 223 / 5.0;
    double met = leaves * (1 - Math.pow(1 - 1 / leaves, 825));
    assertEquals(825 / met, inParts.shared(223, 11), CLOSE);
    assertTrue(inParts.shared(223, 11) > costs.shared(223, 11));
  }

  @Test
  void insertSharesReadsAndWritesAndPaysForSplitsAndLog() {
    double shared = costs.shared(223, 11);
    PioCosts.Transfers without = costs.insertTransfersWithoutSplits(2, 11);
    assertEquals(PIO_MISS / shared, without.read(), CLOSE);
    assertEquals(1 / shared, without.written(), CLOSE);
    // A leaf splits for every 0.3 * 450 = 135 operations: 2 pages are read, 4 written.
    PioCosts.Transfers all = costs.insertTransfers(2, 11);
    assertEquals(without.read() + 2 / 135.0, all.read(), CLOSE);
    assertEquals(without.written() + 4 / 135.0, all.written(), CLOSE);
    double time = all.read() * 10 + all.written() * 20;
    assertEquals(time, costs.insert(2, 11), CLOSE);
    assertEquals(time + 7, costs(100_000, 112, 2475, 7).insert(2, 11), CLOSE);
    assertEquals(0.75 * costs.search(2, 11) + 0.25 * time, costs.cost(0.25, 2, 11), CLOSE);
  }

  @Test
  void aTreeInMemoryIsSearchedForNothing() {
    PioCosts small = costs(10_000, 1000, 2475, 0);
    assertEquals(0, small.search(4, 10), CLOSE);
    assertEquals(0, small.bPlusSearch(), CLOSE);
  }

  @Test
  void searchesAloneTakeNoQueueAndInsertsALargeOne() {
    PioCosts large = costs(10_000_000, 4096, 5000, 0);
    assertEquals(1, large.choose(0).queuePages());
    PioCosts.Choice inserts = large.choose(1);
    assertTrue(inserts.queuePages() >= 256, inserts::toString);
    assertTrue(inserts.reason().contains("queue of " + inserts.queuePages()), inserts::reason);
  }

  @Test
  void choiceIsTheBestOfPowersOfTwo() {
    PioCosts large = costs(10_000_000, 4096, 5000, 0);
    PioCosts.Choice choice = large.choose(0.5);
    for (int leaf = 1; leaf <= 16; leaf *= 2) {
      for (int queue = 1; queue <= 512; queue *= 2) {
        assertTrue(choice.cost() <= large.cost(0.5, leaf, queue), leaf + " and " + queue);
      }
    }
  }

  @Test
  void impossibleParametersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> costs(0, 112, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> costs(1, 1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> costs(1, 2, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> costs(1, 2, 1, -1));
    assertThrows(IllegalArgumentException.class, () -> costs.choose(1.5));
  }
}
