// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of several leaves: what they have, where they end, and what the cursor sees afterwards. */
class RunsOfLeavesTest {
  private static final int ENTRIES = 4000;

  private final ConcurrentPbPlusTree index =
      ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(4, 2));
  private final LongCursor cursor = index.cursor();
  private final LongRun run = new LongRun();

  @BeforeEach
  void fill() {
    for (long key = 0; key < ENTRIES; key++) {
      index.put(2 * key, key);
    }
  }

  @AfterEach
  void close() {
    index.verify();
    index.close();
  }

  @Test
  void runsGrowAsTheScanGoesOn() {
    int leaf = index.tree.leaf.capacity;
    int longest = 0;
    long next = 0;
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++, next++) {
        assertEquals(2 * next, run.key(i));
        assertEquals(next, run.value(i));
      }
      assertEquals(run.key(run.count() - 1), cursor.key());
      assertEquals(run.value(run.count() - 1), cursor.value());
      longest = Math.max(longest, run.count());
    }
    assertEquals(ENTRIES, next);
    assertTrue(longest > 2 * leaf, "the longest run has " + longest + " entries");
  }

  @Test
  void announcedEndKeepsRunsWithinItsLeaf() {
    goToLongRun();
    long end = cursor.key() + 2;
    cursor.scanTo(end);
    assertTrue(cursor.nextRun(run));
    assertTrue(run.count() <= index.tree.leaf.capacity);
    assertEquals(end, run.key(0));
  }

  @Test
  void whatItsThreadWritesBehindTheRunIsSeen() {
    goToLongRun();
    long last = cursor.key();
    index.put(last + 1, -1);
    index.remove(last + 2);
    index.put(last + 4, -4);
    assertTrue(cursor.nextRun(run));
    assertEquals(last + 1, run.key(0));
    assertEquals(-1, run.value(0));
    assertEquals(last + 4, run.key(1));
    assertEquals(-4, run.value(1));
  }

  @Test
  void whatItsThreadWritesInTheRunIsSeenOnTheWayBack() {
    goToLongRun();
    int count = run.count();
    for (int i = 0; i < count; i++) {
      index.put(run.key(i), -i);
    }
    assertEquals(1 - count, cursor.value());
    for (int i = count - 2; i >= 0; i--) {
      assertTrue(cursor.previous());
      assertEquals(run.key(i), cursor.key());
      assertEquals(-i, cursor.value());
    }
  }

  @Test
  void runAfterAStepBackHasWhatFollows() {
    goToLongRun();
    do {
      assertTrue(cursor.previous());
      long key = cursor.key();
      assertTrue(cursor.nextRun(run));
      for (int i = 0; i < run.count(); i++) {
        assertEquals(key + 2 * i + 2, run.key(i));
        assertEquals(run.key(i) / 2, run.value(i));
      }
      assertEquals(run.key(run.count() - 1), cursor.key());
    } while (cursor.nextRun(run));
  }

  @Test
  void runThatHasTheLastEntryIsTheLastOne() {
    long seen = 0;
    while (cursor.nextRun(run)) {
      seen += run.count();
    }
    assertEquals(ENTRIES, seen);
    assertTrue(cursor.last());
    assertFalse(cursor.nextRun(run));
  }

  /**
   * The cursor has copied a leaf whose parent was merged into another one since, and is a leaf now.
   *
   * @param value what the values of that leaf are, which are no places of nodes
   */
  @ParameterizedTest
  @ValueSource(longs = {-1, 1L << 56 | 1 << 24})
  void parentThatHasBecomeALeafLeadsNowhere(long value) {
    try (ConcurrentPbPlusTree small =
        ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(2, 2))) {
      for (long key = 0; key < 200; key++) {
        small.put(2 * key, key);
      }
      ConcurrentStructure tree = small.tree;
      MemorySegment nodes = tree.nodes;
      long root = ConcurrentStructure.nodeOf(Words.getLong(nodes, ConcurrentStructure.ROOT));
      int parents = tree.inner.count(nodes, root);
      long left = tree.inner.child(nodes, root, 1);
      long parent = tree.inner.child(nodes, root, 2);
      LongCursor scan = small.cursor();
      assertTrue(scan.lower(tree.leaf.key(nodes, tree.inner.child(nodes, parent, 0), 0)));
      assertTrue(scan.previous());
      assertTrue(scan.nextRun(run));
      assertTrue(scan.next());
      while (tree.inner.count(nodes, left) > tree.inner.minimum) {
        mergeLeaves(small, left, 0);
      }
      while (tree.inner.count(nodes, root) == parents) {
        mergeLeaves(small, parent, 2); // The first leaf stays what it is.
      }
      assertEquals(parent, splitLeaf(small, tree.inner.child(nodes, root, 3), value));
      NavigableMap<Long, Long> rest = new TreeMap<>(small.asMap()).tailMap(scan.key(), false);
      List<Long> found = new ArrayList<>();
      while (scan.nextRun(run)) {
        for (int i = 0; i < run.count(); i++) {
          found.add(run.key(i));
        }
      }
      assertEquals(List.copyOf(rest.keySet()), found);
      small.verify();
    }
  }

  /** Merges a child of a node and the one behind it. */
  private static void mergeLeaves(ConcurrentPbPlusTree index, long parent, int at) {
    ConcurrentStructure tree = index.tree;
    long first = tree.inner.child(tree.nodes, parent, at);
    long second = tree.inner.child(tree.nodes, parent, at + 1);
    while (tree.leaf.count(tree.nodes, first) > tree.leaf.minimum) {
      index.remove(tree.leaf.key(tree.nodes, first, 0));
    }
    int separators = tree.inner.count(tree.nodes, parent);
    while (tree.inner.count(tree.nodes, parent) == separators) {
      index.remove(tree.leaf.key(tree.nodes, second, 0));
    }
  }

  /**
   * Splits the full first child of a node, whose values become the same, and returns the new leaf.
   */
  private static long splitLeaf(ConcurrentPbPlusTree index, long parent, long value) {
    ConcurrentStructure tree = index.tree;
    long full = tree.inner.child(tree.nodes, parent, 0);
    assertEquals(tree.leaf.capacity, tree.leaf.count(tree.nodes, full));
    for (int i = 0; i < tree.leaf.capacity; i++) {
      index.put(tree.leaf.key(tree.nodes, full, i), value);
    }
    index.put(tree.leaf.key(tree.nodes, full, 0) + 1, value);
    return tree.inner.child(tree.nodes, parent, 1);
  }

  /** Scans until a run has several leaves. */
  private void goToLongRun() {
    do {
      assertTrue(cursor.nextRun(run));
    } while (run.count() <= 2 * index.tree.leaf.capacity);
  }
}
