// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes while the nearest entry is looked for across leaves that are empty. */
class NearestBesideWritesTest {
  private static final int ENTRIES = 2000;
  private static final long FIRST_GONE = 1000;
  private static final long END_OF_GONE = 1400;

  private ConcurrentPbPlusTree index;

  /** The highest key of each leaf but the last. */
  private final TreeSet<Long> ends = new TreeSet<>();

  /** Leaves stay empty where snapshots need memory for them that there is not. */
  @BeforeEach
  void emptySomeLeaves() {
    index = SnapshotTest.tree(1, 1, 128 << 10);
    SnapshotTest.fill(index, ENTRIES, 1);
    LongIndex snapshot = index.snapshot();
    LongIndex second = index.snapshot();
    assertThrows(
        MemoryLimitException.class,
        () -> {
          for (long key = 0; key < ENTRIES; key++) {
            index.put(key, -key);
          }
        });
    for (long first = FIRST_GONE; first < FIRST_GONE + 3; first++) {
      for (long key = first; key < END_OF_GONE; key += 3) {
        index.remove(key);
      }
    }
    assertEquals(ENTRIES, snapshot.size());
    assertEquals(ENTRIES, second.size());
    addEnds(index.rootView());
  }

  private void addEnds(NodeView node) {
    if (node.level() > 0) {
      for (int i = 0; i < node.count(); i++) {
        ends.add(node.key(i));
      }
      for (int i = 0; i <= node.count(); i++) {
        addEnds(node.child(i));
      }
    }
  }

  /** Writes two entries when the second leaf was found to be empty: first one there. */
  private void writeAtTheSecondStep(long first, long second) {
    int[] steps = {0};
    index.tree.beforeNeighbour =
        () -> {
          if (++steps[0] == 2) {
            index.put(first, first);
            index.put(second, second);
          }
        };
  }

  @Test
  void ceilingSeesTheWritesBeforeTheOneThatItSees() {
    long sought = FIRST_GONE + 1;
    long endOfFirst = ends.ceiling(sought);
    long endOfSecond = ends.higher(endOfFirst);
    assertTrue(endOfSecond + 1 < END_OF_GONE, "three leaves have none of the entries");
    writeAtTheSecondStep(endOfFirst + 1, endOfSecond + 1);
    LongEntry entry = new LongEntry();
    assertTrue(index.ceiling(sought, entry));
    assertEquals(endOfFirst + 1, entry.key());
    assertEquals(endOfSecond + 1, index.get(endOfSecond + 1));
    index.close();
  }

  @Test
  void floorSeesTheWritesBeforeTheOneThatItSees() {
    long sought = END_OF_GONE - 1;
    long endOfSecond = ends.lower(sought);
    long endOfThird = ends.lower(endOfSecond);
    assertTrue(endOfThird >= FIRST_GONE, "three leaves have none of the entries");
    writeAtTheSecondStep(endOfSecond, endOfThird);
    LongEntry entry = new LongEntry();
    assertTrue(index.floor(sought, entry));
    assertEquals(endOfSecond, entry.key());
    assertEquals(endOfThird, index.get(endOfThird));
    index.close();
  }
}
