// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.MemoryLimitException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What writers latch, keep readers off, and give back: one thread shows it, where its pages are
 * {@linkplain WatchedPages watched}. Pages have 12 entries or 16 children here.
 */
@Tag("fallback-exhaustive")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BLinkLatchingTest {
  private static final int PAGE_BYTES = 256;
  private static final int LEAF = 12;
  private static final long MISSING = Long.MIN_VALUE;

  private final TreeMap<Long, Long> model = new TreeMap<>();
  private LinkedPageFormat format = new BLinkPage(PAGE_BYTES);
  private WatchedPages pages;
  private BLinkStructure tree;
  private BLinkWriter writer;

  @BeforeEach
  void plant() {
    pages =
        new WatchedPages(new CheckedPageStore(IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES), 16));
    tree = new BLinkStructure(pages, new WatchedFormat(format, pages));
    writer = new BLinkWriter(tree);
    pages.watch(tree);
    model.clear();
  }

  @AfterEach
  void close() {
    pages.close();
  }

  private void assertGivenBack() {
    assertEquals(List.of(), pages.endOperation());
    assertEquals(0, tree.space.outside());
  }

  private void put(long key, long value) {
    Long before = model.put(key, value);
    assertEquals(before == null ? MISSING : before, writer.put(key, value, true, MISSING));
  }

  private void remove(long key) {
    Long before = model.remove(key);
    assertEquals(before == null ? MISSING : before, writer.remove(key, MISSING));
  }

  private long cut(long from, long to) {
    long before = model.size();
    model.subMap(from, true, to, true).clear();
    long removed = new BLinkCut(tree, from, to).remove();
    assertEquals(before - model.size(), removed);
    return removed;
  }

  private void assertHolds() {
    assertGivenBack();
    tree.verify((_, _) -> true);
    pages.endOperation();
    assertEquals(model.size(), tree.knownSize());
    for (long key : model.keySet()) {
      assertEquals(model.get(key), writer.put(key, 0, false, MISSING), "key " + key);
    }
    pages.endOperation();
  }

  // ---------------------------------------------------------------- all operations

  @Test
  void ascendingKeysLatchWhatTheyChange() {
    for (long key = 0; key < 40 * LEAF; key++) {
      put(key, -key);
      assertGivenBack();
    }
    assertEquals(3, tree.height());
    assertHolds();
  }

  @Test
  void descendingKeysLatchWhatTheyChange() {
    for (long key = 40 * LEAF; key > 0; key--) {
      put(key, -key);
      assertGivenBack();
    }
    assertEquals(3, tree.height());
    assertHolds();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allOperationsLatchWhatTheyChange(boolean haveTreesInPages) {
    if (haveTreesInPages) {
      close();
      format = new LinkedInPageFormat(PAGE_BYTES, 1, 1);
      plant();
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      long key = random.nextInt(1000);
      long value = random.nextInt(3);
      Long there = model.get(key);
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> put(key, value);
        case 3 -> {
          assertEquals(there == null, writer.insert(key, value));
          model.putIfAbsent(key, value);
        }
        case 4 -> {
          assertEquals(there == null ? MISSING : there, writer.put(key, value, false, MISSING));
          model.putIfAbsent(key, value);
        }
        case 5 -> {
          assertEquals(there != null, writer.replace(key, value));
          model.replace(key, value);
        }
        case 6 -> {
          assertEquals(there != null && there == value, writer.replace(key, value, value + 1));
          model.replace(key, value, value + 1);
        }
        case 7 -> {
          assertEquals(there != null && there == value, writer.removeIf(key, value));
          model.remove(key, value);
        }
        default -> {
          if (random.nextInt(100) == 0) {
            cut(key, key + random.nextInt(300));
          } else {
            remove(key);
          }
        }
      }
      assertGivenBack();
      assertEquals(model.size(), tree.knownSize());
      if (i % 500 == 0) {
        assertHolds();
      }
    }
  }

  @Test
  void rangesOfAnyLengthLatchWhatTheyChange() {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 60; round++) {
      for (int i = 0; i < 300; i++) {
        put(random.nextInt(600), i);
      }
      pages.endOperation();
      long from = random.nextInt(-20, 600);
      cut(from, from + random.nextInt(1 + random.nextInt(700)));
      assertHolds();
    }
    put(Long.MAX_VALUE, 1);
    put(Long.MIN_VALUE, 1);
    cut(300, Long.MAX_VALUE);
    assertHolds();
    cut(Long.MIN_VALUE, Long.MAX_VALUE);
    assertHolds();
    assertEquals(1, tree.height());
    assertEquals(1, pages.pagesInUse());
  }

  /** In one leaf of twelve, whose rest is stored anew or not. */
  @Test
  void rangesWithinALeafLeaveTheOthers() {
    for (int from = 0; from < LEAF; from++) {
      for (int to = from; to < LEAF; to++) {
        for (long key = 0; key < LEAF; key++) {
          put(2 * key, key);
        }
        assertEquals(to - from + 1, cut(2L * from, 2L * to));
        assertEquals(0, cut(2L * from - 1, 2L * to + 1));
        assertHolds();
      }
    }
  }

  @Test
  void whatACursorOfThisThreadSeesIsNoted() {
    put(1, 10);
    List<Runnable> changes =
        List.of(
            () -> writer.put(2, 20, true, MISSING),
            () -> writer.put(2, 21, true, MISSING),
            () -> writer.insert(3, 30),
            () -> writer.replace(3, 31),
            () -> writer.replace(3, 31, 32),
            () -> writer.remove(3, MISSING),
            () -> writer.removeIf(2, 21),
            () -> new BLinkCut(tree, 0, 5).remove());
    for (Runnable change : changes) {
      long before = tree.ownChanges();
      change.run();
      assertEquals(before + 1, tree.ownChanges());
    }
    List<Runnable> nothing =
        List.of(
            () -> writer.replace(3, 31),
            () -> writer.remove(3, MISSING),
            () -> writer.removeIf(2, 21),
            () -> new BLinkCut(tree, 0, 5).remove());
    for (Runnable one : nothing) {
      long before = tree.ownChanges();
      one.run();
      assertEquals(before, tree.ownChanges());
    }
    pages.endOperation();
  }

  // ---------------------------------------------------------------- failures

  /** Lets each call of the store fail during an operation, in a new tree each time. */
  private int failEverywhere(Consumer<BLinkLatchingTest> before, Runnable operation) {
    for (int calls = 0; ; calls++) {
      close();
      plant();
      before.accept(this);
      pages.endOperation();
      pages.failAfter(calls);
      boolean isRefused = false;
      try {
        operation.run();
      } catch (MemoryLimitException refused) {
        isRefused = true;
      }
      boolean hasFailed = pages.hasFailed();
      pages.failAfter(-1);
      assertEquals(List.of(), pages.endOperation(), "call " + calls);
      if (!hasFailed) {
        assertFalse(isRefused);
        return calls;
      }
      if (!pages.isLeftHalfway()) {
        tree.verify((_, _) -> true);
        pages.endOperation();
        operation.run();
        assertEquals(List.of(), pages.endOperation());
        tree.verify((_, _) -> true);
        pages.endOperation();
      }
    }
  }

  private static void fill(BLinkLatchingTest test, int count) {
    for (long key = 0; key < count; key++) {
      test.writer.put(2 * key, key, true, MISSING);
    }
  }

  @Test
  void aSplitThatFailsAtAnyCallGivesAllBack() {
    int calls =
        failEverywhere(
            test -> fill(test, 16 * LEAF), () -> writer.put(6 * LEAF + 1, 7, true, MISSING));
    assertTrue(calls > 10, calls + " calls");
  }

  @Test
  void aRemovalThatFailsAtAnyCallGivesAllBack() {
    int calls =
        failEverywhere(
            test -> {
              fill(test, 16 * LEAF);
              for (long key = 4 * LEAF; key < 5 * LEAF - 1; key++) {
                test.writer.remove(2 * key, MISSING);
              }
            },
            () -> writer.remove(2 * (5 * LEAF - 1), MISSING));
    assertTrue(calls > 10, calls + " calls");
  }

  @Test
  void aRangeThatFailsAtAnyCallGivesAllBack() {
    int calls =
        failEverywhere(
            test -> fill(test, 16 * LEAF), () -> new BLinkCut(tree, 5 * LEAF, 9 * LEAF).remove());
    assertTrue(calls > 10, calls + " calls");
  }

  @Test
  void anInsertAndAReplacementThatFailAtAnyCallGiveAllBack() {
    assertTrue(failEverywhere(test -> fill(test, 20), () -> writer.insert(5, 7)) > 1);
    assertTrue(failEverywhere(test -> fill(test, 20), () -> writer.replace(4, 7)) > 1);
    assertTrue(failEverywhere(test -> fill(test, 20), () -> writer.removeIf(4, 2)) > 1);
  }
}
