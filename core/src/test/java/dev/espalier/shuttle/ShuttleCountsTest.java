// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongCursor;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.shuttle.ShuttleTree.Schedule;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What blind writes do, counted; and how a tree of buffers answers what it does not know yet. */
class ShuttleCountsTest {
  private static final int ENTRIES = 20_000;

  @RegisterExtension final Indexes indexes = new Indexes();

  // ---------------------------------------------------------------- counts

  @Test
  void messageMovesOnceForEachBufferOnItsPathAtMost() {
    for (LongUnaryOperator order : orders()) {
      ShuttleStructure tree = fill(order).tree;
      int lists = IntStream.rangeClosed(2, tree.height).map(tree.layout::lists).sum();
      assertEquals(3, lists, "heights 4 and 6");
      assertTrue(tree.delivered <= (long) lists * ENTRIES, "" + tree.delivered);
      assertTrue(tree.delivered >= ENTRIES, "most have come to a leaf");
      assertTrue(tree.drains <= tree.delivered / tree.layout.leafEntries, "full buffers only");
    }
  }

  @Test
  void puttingAllLooksForNothing() {
    ShuttleTree index = fill(i -> i);
    long[] keys = new long[10];
    LongCursor cursor = index.cursor();
    for (int i = 0; i < keys.length; i++) {
      assertTrue(cursor.next());
      keys[i] = cursor.key();
    }
    long size = index.size();
    long estimate = index.sizeEstimate();
    index.putAll(keys, keys);
    assertEquals(estimate + keys.length, index.sizeEstimate(), "messages that replace");
    assertEquals(size, index.size());
    assertEquals(keys[7], index.get(keys[7]));
  }

  @Test
  void leavesAreSplitOnceForEachHalfOfALeafAtMost() {
    for (LongUnaryOperator order : orders()) {
      ShuttleStructure tree = fill(order).tree;
      assertTrue(tree.splits <= ENTRIES * 2 / tree.layout.leafEntries, "" + tree.splits);
      assertEquals(tree.splits + 1, tree.layout.weight(tree.array.nodes, tree.array.root));
    }
  }

  /** The bound of a packed memory array, whatever the order: log^2 for each element inserted. */
  @Test
  void splitMovesSquareLogarithmOfTheElements() {
    for (LongUnaryOperator order : orders()) {
      ShuttleStructure tree = fill(order).tree;
      double log = Math.log(tree.array.elements) / Math.log(2);
      double moved = (double) tree.array.moved / tree.splits;
      assertTrue(moved <= log * log, moved + " elements moved for each split, log is " + log);
      assertTrue(tree.array.rebalances <= 4 * tree.splits, "" + tree.array.rebalances);
    }
  }

  private static LongUnaryOperator[] orders() {
    return new LongUnaryOperator[] {i -> i, i -> -i, i -> i * 0x9e37_79b9_7f4a_7c15L};
  }

  private ShuttleTree fill(LongUnaryOperator order) {
    ShuttleTree index = create(IndexOptions.DEFAULT, 16);
    for (long i = 0; i < ENTRIES; i++) {
      index.set(order.applyAsLong(i), i);
    }
    return index;
  }

  // ---------------------------------------------------------------- blind writes

  @Test
  void blindWriteMakesTheSizeUnknownUntilItIsAskedFor() {
    ShuttleTree index = fill(i -> i);
    assertEquals(-1, index.tree.size);
    assertFalse(index.isEmpty());
    assertEquals(-1, index.tree.size, "to tell whether it is empty takes no pass");
    assertEquals(ENTRIES, index.sizeEstimate());
    assertEquals(ENTRIES, index.size());
    index.put(-1, 1);
    index.remove(5);
    index.remove(5);
    assertEquals(ENTRIES, index.tree.size, "searching writes keep it");
    index.delete(6);
    index.delete(6);
    index.set(7, 70);
    assertEquals(ENTRIES - 1, index.size());
  }

  @Test
  void treeWhoseEntriesAreAllDeletedByMessagesIsEmpty() {
    ShuttleTree index = fill(i -> i);
    for (long i = 0; i < ENTRIES; i++) {
      index.delete(i);
    }
    assertTrue(index.isEmpty());
    assertEquals(0, index.size());
    assertFalse(index.cursor().first());
    assertFalse(index.cursor().last());
    index.put(3, 33);
    LongCursor cursor = index.cursor();
    assertTrue(cursor.last());
    assertEquals(3, cursor.key());
  }

  /** Messages are newer the higher they are; a search must stop at the first. */
  @Test
  void newestMessageDecidesWhereverItIs() {
    ShuttleTree index = create(IndexOptions.DEFAULT, 2);
    TreeMap<Long, Long> model = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 30_000; i++) {
      long key = random.nextLong(400) * random.nextLong(1, 10);
      if (random.nextInt(3) == 0) {
        index.delete(key);
        model.remove(key);
      } else {
        index.set(key, i);
        model.put(key, (long) i);
      }
      assertEquals(model.getOrDefault(key, index.missingValue()), index.get(key));
    }
    assertTrue(index.tree.height >= 6);
    for (long key = 0; key < 4_000; key++) {
      assertEquals(model.getOrDefault(key, index.missingValue()), index.get(key));
    }
    assertEquals(model.size(), index.size());
  }

  @Test
  void treeThatHasLostMostOfItsEntriesIsBuiltAnew() {
    ShuttleTree index = fill(i -> i);
    long before = index.tree.array.used;
    for (long i = 0; i < ENTRIES; i++) {
      if (i % 16 != 0) {
        index.remove(i);
      }
    }
    assertTrue(index.tree.rebuilds >= 1);
    assertTrue(index.tree.array.used < before / 4);
    assertEquals(ENTRIES / 16, index.size());
    assertEquals(32, index.get(32));
  }

  // ---------------------------------------------------------------- full memory

  @Test
  void fullTreeRefusesNewKeysAndDoesAllElse() {
    ShuttleTree index = create(IndexOptions.DEFAULT.withMemoryLimit(100_000), 2);
    TreeMap<Long, Long> model = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(3);
    int refused = 0;
    for (int i = 0; i < 6_000; i++) {
      long key = random.nextLong(3_000);
      if (random.nextInt(5) == 0) {
        index.delete(key);
        model.remove(key);
        continue;
      }
      try {
        index.set(key, i);
        model.put(key, (long) i);
      } catch (MemoryLimitException full) {
        assertFalse(model.containsKey(key), "a value is replaced without more memory");
        assertThrows(MemoryLimitException.class, () -> index.put(key, 1));
        refused++;
      }
    }
    assertTrue(refused > 0);
    assertEquals(model.size(), index.size());
    model.forEach((key, value) -> assertEquals(value, index.get(key)));
  }

  private ShuttleTree create(IndexOptions options, int leafEntries) {
    return indexes.keep(
        ShuttleTree.create(options, new Geometry(Schedule.SHIFTED, 4, leafEntries)));
  }
}
