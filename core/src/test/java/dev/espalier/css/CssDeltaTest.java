// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.css.CssTree.Form;
import dev.espalier.css.CssTree.Geometry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to the delta and to removed entries, and when the array is built anew. */
@Tag("fallback-too")
class CssDeltaTest {
  @RegisterExtension final Indexes indexes = new Indexes();

  // ---------------------------------------------------------------- insert

  /**
   * The delta holds 256 entries until 8 sqrt(n) is 512, at 4,096 entries of the array; then 512,
   * and so on.
   */
  @Test
  void arrayIsRebuiltOncePerFullDelta() {
    CssTree index = empty();
    int inserts = 100_000;
    int rebuilds = 0;
    for (long i = 0; i < inserts; i++) {
      long before = index.tree.array.count;
      long delta = index.tree.delta.count;
      index.put(scatter(i), i);
      if (index.tree.array.count != before) {
        rebuilds++;
        int most = before < 4_096 ? 256 : before < 16_384 ? 512 : before < 65_536 ? 1024 : 2048;
        assertEquals(most, delta);
        assertEquals(before + delta, index.tree.array.count);
        assertEquals(1, index.tree.delta.count);
      }
    }
    int expected = 4_096 / 256 + (16_384 - 4_096) / 512 + (65_536 - 16_384) / 1024;
    assertEquals(expected + (inserts - 65_536) / 2048, rebuilds);
    assertTrue(rebuilds <= Math.sqrt(inserts) / 2, rebuilds + " rebuilds");
    assertEquals(inserts, index.size());
  }

  @Test
  void overwritingRebuildsNothing() {
    CssTree index = load(1000);
    index.put(5, 50);
    for (int round = 0; round < 300; round++) {
      for (long key : new long[] {0, 5, 500, 9990}) {
        index.put(key, round);
      }
    }
    assertEquals(1000, index.tree.array.count);
    assertEquals(1, index.tree.delta.count);
    assertEquals(299, index.get(5));
    assertEquals(299, index.get(500));
  }

  @Test
  void removedKeyOfTheArrayGetsItsSlotBack() {
    CssTree index = load(1000);
    index.remove(500);
    index.remove(510);
    assertEquals(2, index.tree.removed.count);
    assertEquals(Long.MIN_VALUE, index.put(500, 1));
    assertEquals(Long.MIN_VALUE, index.putIfAbsent(510, 2));
    assertEquals(0, index.tree.removed.count);
    assertEquals(0, index.tree.delta.count);
    assertEquals(1, index.get(500));
    assertEquals(2, index.get(510));
    assertEquals(1000, index.size());
  }

  @Test
  void keyRemovedFromTheDeltaIsGoneFromIt() {
    CssTree index = load(1000);
    index.put(5, 50);
    index.put(15, 150);
    assertEquals(50, index.remove(5));
    assertEquals(1, index.tree.delta.count);
    assertFalse(index.containsKey(5));
    assertEquals(150, index.get(15));
  }

  // ---------------------------------------------------------------- delete

  @ParameterizedTest(name = "{0} entries")
  @ValueSource(ints = {1000, 5000})
  void removingMoreThanAQuarterClosesTheGaps(int entries) {
    CssTree index = load(entries);
    for (long i = 0; i < entries / 4; i++) {
      index.remove(20 * i);
    }
    assertEquals(entries, index.tree.array.count);
    assertEquals(entries / 4, index.tree.removed.count);
    index.put(5, 50);
    index.remove(10);
    assertEquals(entries - entries / 4 - 1, index.tree.array.count);
    assertEquals(0, index.tree.removed.count);
    assertEquals(1, index.tree.delta.count, "the delta stays");
  }

  @Test
  void smallArrayKeepsItsGapsUntilMoreThan64AreThere() {
    CssTree index = load(100);
    for (long i = 0; i < 64; i++) {
      index.remove(10 * i);
    }
    assertEquals(100, index.tree.array.count);
    index.remove(990);
    assertEquals(35, index.tree.array.count);
    assertEquals(640, index.cursor().ceiling(0) ? index.get(640) : -1);
  }

  // ---------------------------------------------------------------- rebuild

  @ParameterizedTest
  @EnumSource
  void rebuildOnRequestMergesEverythingAndKeepsIt(Form form) {
    CssTree index = load(form, 5000);
    TreeMap<Long, Long> model = change(index, 5000);
    assertTrue(index.tree.delta.count > 50);
    assertTrue(index.tree.removed.count > 50);
    index.rebuild();
    assertEquals(0, index.tree.delta.count);
    assertEquals(0, index.tree.removed.count);
    assertEquals(model.size(), index.tree.array.count);
    assertEquals(model, index.asMap());
    index.verify();
    index.rebuild();
    assertEquals(model, index.asMap());
  }

  @Test
  void rebuildOfAnEmptyTreeLeavesItEmpty() {
    CssTree index = empty();
    index.rebuild();
    assertTrue(index.isEmpty());
    index.put(1, 10);
    index.remove(1);
    index.rebuild();
    assertTrue(index.isEmpty());
    assertFalse(index.cursor().first());
  }

  @Test
  void closedTreeCannotBeRebuilt() {
    CssTree index = load(10);
    index.close();
    assertThrows(IllegalStateException.class, index::rebuild);
  }

  // ---------------------------------------------------------------- range scan

  @ParameterizedTest
  @EnumSource
  void cursorWalksArrayAndDeltaAsOneBothWays(Form form) {
    CssTree index = load(form, 12_000);
    TreeMap<Long, Long> model = change(index, 12_000);
    LongCursor cursor = index.cursor();
    List<Long> forward = new ArrayList<>();
    while (cursor.next()) {
      assertEquals(model.get(cursor.key()), cursor.value());
      forward.add(cursor.key());
    }
    assertEquals(new ArrayList<>(model.keySet()), forward);
    List<Long> backward = new ArrayList<>();
    while (cursor.previous()) {
      assertEquals(model.get(cursor.key()), cursor.value());
      backward.add(cursor.key());
    }
    assertEquals(new ArrayList<>(model.descendingKeySet()), backward);
  }

  @Test
  void cursorTurnsAtEveryEntry() {
    CssTree index = load(1000);
    TreeMap<Long, Long> model = change(index, 1000);
    LongCursor cursor = index.cursor();
    for (long key : model.keySet()) {
      assertTrue(cursor.ceiling(key));
      Long lower = model.lowerKey(key);
      assertEquals(lower != null, cursor.previous());
      if (lower != null) {
        assertEquals(lower, cursor.key());
        assertTrue(cursor.next());
        assertEquals(key, cursor.key());
      }
      assertTrue(cursor.floor(key));
      Long higher = model.higherKey(key);
      assertEquals(higher != null, cursor.next());
      if (higher != null) {
        assertEquals(higher, cursor.key());
      }
    }
  }

  /** Each change makes the cursor find its place again, some of them after a rebuild. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cursorGoesOnAfterEveryChange(boolean forward) {
    CssTree index = load(1000);
    TreeMap<Long, Long> model = change(index, 1000);
    SplittableRandom random = new SplittableRandom(1);
    LongCursor cursor = index.cursor();
    int steps = 0;
    while (forward ? cursor.next() : cursor.previous()) {
      long at = cursor.key();
      switch (random.nextInt(5)) {
        case 0 -> {
          cursor.remove();
          model.remove(at);
        }
        case 1 -> {
          long beside = forward ? at + 1 : at - 1;
          index.put(beside, steps);
          model.put(beside, (long) steps);
        }
        case 2 -> {
          index.put(at + 500, steps);
          model.put(at + 500, (long) steps);
        }
        case 3 -> index.rebuild();
        default -> {
          cursor.setValue(steps);
          model.put(at, (long) steps);
        }
      }
      Long expected = forward ? model.higherKey(at) : model.lowerKey(at);
      LongCursor other = index.cursor();
      assertEquals(expected != null, forward ? other.higher(at) : other.lower(at));
      if (expected != null) {
        assertEquals(expected, other.key());
      }
      if (++steps == 2000) {
        break;
      }
    }
    assertTrue(steps >= 700, steps + " steps");
    assertEquals(model, index.asMap());
  }

  @Test
  void runsLieInTheArrayAndTheDeltaThemselves() {
    CssTree index = load(10_000);
    index.put(-5, 1);
    index.put(50_005, 2);
    index.remove(60_000);
    Set<Long> addresses = new HashSet<>();
    List<Integer> counts = new ArrayList<>();
    LongRun run = new LongRun();
    LongCursor cursor = index.cursor();
    long entries = 0;
    while (cursor.nextRun(run)) {
      assertTrue(run.segment().isReadOnly());
      addresses.add(run.segment().address());
      counts.add(run.count());
      entries += run.count();
    }
    assertEquals(
        Set.of(index.tree.array.memory.address(), index.tree.delta.memory.address()), addresses);
    // Stretches of at most 4096 entries, ended by an entry of the delta or a removed one.
    assertEquals(List.of(1, 4096, 905, 1, 999, 3999), counts);
    assertEquals(index.size(), entries);
  }

  // ---------------------------------------------------------------- trees

  private CssTree empty() {
    return indexes.keep(CssTree.create(IndexOptions.DEFAULT));
  }

  private CssTree load(int entries) {
    return load(Form.FULL, entries);
  }

  /** Keys 0, 10, 20 and so on in the array, each its own value. */
  private CssTree load(Form form, int entries) {
    CssTree index = indexes.keep(CssTree.create(IndexOptions.DEFAULT, new Geometry(form, 1)));
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(keys, keys);
    return index;
  }

  /**
   * Puts stretches of the delta before, between and after entries of the array, and removes
   * stretches of the array, its ends among them. Returns what the tree holds then.
   */
  private static TreeMap<Long, Long> change(CssTree index, int entries) {
    TreeMap<Long, Long> model = new TreeMap<>();
    LongStream.range(0, entries).forEach(i -> model.put(10 * i, 10 * i));
    long last = 10L * (entries - 1);
    for (long from : new long[] {-20, 100, 205, 3003, last - 5, last + 5}) {
      for (long key = from; key < from + 15; key++) {
        index.putIfAbsent(key, key);
        model.putIfAbsent(key, key);
      }
    }
    for (long from : new long[] {0, 500, 4000, last - 90}) {
      for (long key = from; key < from + 200; key += 10) {
        index.remove(key);
        model.remove(key);
      }
    }
    return model;
  }

  /** Numbers to keys in no order: multiplied by an odd number, which no two share. */
  private static long scatter(long number) {
    return number * 0x9e37_79b9_7f4a_7c15L;
  }
}
