// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TreeVariant.Capability;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.inspect.NodeView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("fallback-thorough")
class CursorTest {
  private static final int ENTRIES = TestSize.of(500, 2000);

  @RegisterExtension final Indexes indexes = new Indexes();

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void removedEntryThatComesBackIsPassedByNext(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 10);
    LongCursor cursor = index.cursor();
    cursor.ceiling(5);
    cursor.remove();
    index.put(5, 55);
    assertThrows(IllegalStateException.class, cursor::key);
    assertTrue(cursor.next());
    assertEquals(6, cursor.key());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void cursorThatFoundNothingIsOnNoEntry(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 10);
    assertOnNoEntryAfter(index, cursor -> cursor.lower(0));
    assertOnNoEntryAfter(index, cursor -> cursor.floor(-1));
    assertOnNoEntryAfter(index, cursor -> cursor.higher(9));
    assertOnNoEntryAfter(index, cursor -> cursor.ceiling(10));
    assertOnNoEntryAfter(index, cursor -> cursor.first() && cursor.previous());
    assertOnNoEntryAfter(index, cursor -> cursor.last() && cursor.next());
  }

  /** A cursor that is new, has made a step, or has handed out a run is on no entry either. */
  private static void assertOnNoEntryAfter(LongIndex index, Predicate<LongCursor> seek) {
    LongCursor cursor = index.cursor();
    for (Predicate<LongCursor> before :
        List.<Predicate<LongCursor>>of(
            _ -> true, LongCursor::next, stepped -> stepped.nextRun(new LongRun()))) {
      before.test(cursor);
      assertFalse(seek.test(cursor));
      assertThrows(IllegalStateException.class, cursor::key);
      assertThrows(IllegalStateException.class, cursor::value);
      assertThrows(IllegalStateException.class, () -> cursor.setValue(1));
      assertThrows(IllegalStateException.class, cursor::remove);
    }
    assertEquals(10, index.size());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void keyThatComesBackHasAnEntryAgain(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 10);
    LongCursor cursor = index.cursor();
    cursor.ceiling(5);
    index.delete(5);
    if (CopyingCursor.copies(index)) {
      assertEquals(-5, cursor.value());
    } else {
      assertThrows(IllegalStateException.class, cursor::value);
    }
    index.put(5, 55);
    assertEquals(CopyingCursor.copies(index) ? -5 : 55, cursor.value());
    assertTrue(cursor.previous());
    assertEquals(4, cursor.key());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void cursorSeesTheValueThatOthersHaveReplaced(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 100);
    LongCursor cursor = index.cursor();
    cursor.ceiling(5);
    index.put(5, 55);
    assertEquals(CopyingCursor.copies(index) ? -5 : 55, cursor.value());
    LongCursor other = index.cursor();
    other.ceiling(5);
    other.setValue(56);
    assertEquals(CopyingCursor.copies(index) ? -5 : 56, cursor.value());
    assertEquals(56, other.value());
    index.putAll(new long[] {6}, new long[] {66});
    assertTrue(cursor.next());
    assertEquals(66, cursor.value());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void cursorKeepsItsKeyWhileItsLeafSplitsAndMerges(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    index.put(0, 0);
    LongCursor cursor = index.cursor();
    cursor.first();
    for (long key = 1; key < ENTRIES; key++) {
      index.put(key, key);
      index.put(-key, -key);
    }
    assertEquals(0, cursor.key());
    assertTrue(cursor.previous());
    assertEquals(-1, cursor.key());
    index.removeRange(-ENTRIES, true, -2, true);
    index.removeRange(2, true, ENTRIES, true);
    assertEquals(-1, cursor.key());
    assertFalse(cursor.previous());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void scanThatRemovesEverythingSeesEverything(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES);
    LongCursor cursor = index.cursor();
    for (long key = 0; cursor.next(); key++) {
      assertEquals(key, cursor.key());
      cursor.remove();
    }
    assertTrue(index.isEmpty());
  }

  static List<TreeShape> defaultsAndAllIfThorough() {
    return TestSize.isThorough() ? TreeShape.allAndOnCheckedPages() : TreeShape.defaults();
  }

  @ParameterizedTest
  @MethodSource("defaultsAndAllIfThorough")
  void backwardScanThatRemovesEverythingSeesEverything(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES);
    LongCursor cursor = index.cursor();
    for (long key = ENTRIES - 1; cursor.previous(); key--) {
      assertEquals(key, cursor.key());
      cursor.remove();
    }
    assertTrue(index.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void scanTurnsRoundAnywhere(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 500);
    LongCursor cursor = index.cursor();
    for (int steps = 1; steps < 500; steps += 7) {
      cursor.first();
      for (int i = 1; i < steps; i++) {
        assertTrue(cursor.next());
      }
      for (int key = steps - 1; key > 0; key--) {
        assertEquals(key, cursor.key());
        assertTrue(cursor.previous());
      }
      assertEquals(0, cursor.key());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void runsAreWholeLeavesInOrder(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES);
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    List<Long> keys = new ArrayList<>();
    long runs = 0;
    while (cursor.nextRun(run)) {
      assertTrue(run.segment().isReadOnly());
      for (int i = 0; i < run.count(); i++) {
        keys.add(run.key(i));
        assertEquals(-run.key(i), run.value(i));
      }
      runs++;
    }
    assertEquals(LongStream.range(0, ENTRIES).boxed().toList(), keys);
    long nodes = nodesWithEntries(index.rootView());
    if (index.variant().medium() == Medium.PAGES) {
      assertTrue(runs >= nodes, "a page holds one leaf or several");
    } else if (index instanceof ConcurrentLongIndex) {
      assertTrue(runs < nodes, "a run is a copy of several leaves");
    } else if (index.variant().capabilities().contains(Capability.UPDATE_IN_PLACE)) {
      // After a seek, a large leaf of a shuttle tree is merged with its messages in two parts.
      boolean mayBeInParts = index.variant().name().equals("ShuttleTree");
      assertTrue(runs == nodes || (runs == nodes + 1 && mayBeInParts), () -> "of " + nodes);
    } else {
      assertTrue(runs <= ENTRIES / 64 + 1, "an array is handed out in long stretches");
    }
  }

  private static long nodesWithEntries(NodeView node) {
    long nodes = node.holdsEntries() ? 1 : 0;
    for (int i = 0; i < node.children(); i++) {
      nodes += nodesWithEntries(node.child(i));
    }
    return nodes;
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void runBeginsAfterTheCursorsEntry(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 100);
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    for (long key = 0; key < 99; key++) {
      cursor.ceiling(key);
      assertTrue(cursor.nextRun(run));
      assertEquals(key + 1, run.key(0));
      assertEquals(run.key(run.count() - 1), cursor.key());
    }
    cursor.last();
    assertFalse(cursor.nextRun(run));
  }
}
