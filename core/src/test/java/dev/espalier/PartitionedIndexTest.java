// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.PbPlusTree;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.threads.KeyHistories;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An index in parts is one index, whatever moves between the parts, and whoever writes. */
@Tag("fallback-thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PartitionedIndexTest {
  private static final int WRITES = TestSize.of(10_000, 40_000);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private static PartitionedIndex index(int parts, int piece) {
    long[] lows = new long[parts];
    Arrays.setAll(lows, i -> i == 0 ? Long.MIN_VALUE : 1000L * i);
    return PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, lows, piece);
  }

  private static long[] keys(int count) {
    return LongStream.range(0, count).map(i -> 2 * i).toArray();
  }

  /** Returns a kind of tree that notes which methods are called, and allows torn reads or not. */
  private static TreeVariant noting(List<String> calls, boolean allowsTornReads) {
    return TreeVariant.inMemory(
        "Noting",
        "",
        options -> {
          LongIndex tree = PbPlusTree.VARIANT.create(options);
          InvocationHandler handler =
              (_, method, arguments) -> {
                calls.add(method.getName());
                Object answer = method.invoke(tree, arguments);
                return method.getName().equals("allowsTornReads") ? allowsTornReads : answer;
              };
          Class<?>[] types = {LongIndex.class};
          return (LongIndex)
              Proxy.newProxyInstance(LongIndex.class.getClassLoader(), types, handler);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void containsKeyAsksThePartWithoutAnArray(boolean allowsTornReads) {
    List<String> calls = new ArrayList<>();
    TreeVariant variant = noting(calls, allowsTornReads);
    try (PartitionedIndex index = PartitionedIndex.create(variant, IndexOptions.DEFAULT, 2)) {
      index.set(1, 10);
      calls.clear();
      assertTrue(index.containsKey(1));
      assertFalse(index.containsKey(-1));
      assertEquals(List.of("containsKey", "containsKey"), calls);
    }
  }

  @Test
  void findWithoutRoomForTheValueIsRefused() {
    try (PartitionedIndex index = index(2, 100)) {
      index.set(1, 10);
      assertThrows(NullPointerException.class, () -> index.find(1, null));
      assertThrows(IndexOutOfBoundsException.class, () -> index.find(1, new long[0]));
    }
  }

  private static long largestPart(PartitionedIndex index) {
    long largest = 0;
    for (long[] bounds : index.balance.ranges()) {
      largest = Math.max(largest, index.countRange(bounds[0], true, bounds[1], true));
    }
    return largest;
  }

  // ---------------------------------------------------------------- one thread

  @Test
  void partsAreEvenedOutWhileOneGrows() {
    for (boolean ascends : new boolean[] {true, false}) {
      try (PartitionedIndex index = index(4, PartBalance.PIECE)) {
        for (long i = 0; i < 20_000; i++) {
          long key = ascends ? i : -i;
          index.put(key, i);
        }
        index.verify();
        assertEquals(20_000, index.size());
        assertTrue(
            largestPart(index) <= 2 * 5000 + 2 * PartBalance.PIECE,
            "largest: " + largestPart(index));
        for (long i = 0; i < 20_000; i++) {
          assertEquals(i, index.get(ascends ? i : -i));
        }
      }
    }
  }

  @Test
  void everyCallAnswersAsAModelDoesWhileEntriesMove() {
    try (PartitionedIndex index = index(5, 16)) {
      TreeMap<Long, Long> model = new TreeMap<>();
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 30_000; i++) {
        // The keys that are in use wander, so that bounds have to follow.
        long key = i / 10 + random.nextInt(3000);
        if (random.nextInt(3) == 0) {
          Long before = model.remove(key);
          assertEquals(before == null ? index.missingValue() : before, index.remove(key));
        } else {
          Long before = model.put(key, (long) i);
          assertEquals(before == null ? index.missingValue() : before, index.put(key, i));
        }
        if (i % 3000 == 0) {
          index.verify();
          assertEquals(model.size(), index.size());
          assertEquals(model, new TreeMap<>(index.asMap()));
          long from = i / 10 + 500;
          assertEquals(
              model.subMap(from, true, from + 1500, false).size(),
              index.countRange(from, true, from + 1500, false));
          assertEquals(
              model.subMap(from, false, from + 50, true).size(),
              index.removeRange(from, false, from + 50, true));
          model.subMap(from, false, from + 50, true).clear();
        }
      }
      LongCursor back = index.cursor();
      for (long key : model.descendingKeySet()) {
        assertTrue(back.previous());
        assertEquals(key, back.key());
      }
      assertFalse(back.previous());
      LongRun run = new LongRun();
      long entries = 0;
      for (LongCursor forth = index.cursor(); forth.nextRun(run); ) {
        entries += run.count();
      }
      assertEquals(model.size(), entries);
    }
  }

  @Test
  void batchesAreDividedAmongTheParts() {
    try (PartitionedIndex index = index(6, 64)) {
      SplittableRandom random = new SplittableRandom(2);
      long[] keys = random.longs(5000, -500, 7000).toArray();
      long[] values = LongStream.range(0, keys.length).toArray();
      index.putAll(keys, values);
      TreeMap<Long, Long> model = new TreeMap<>();
      for (int i = 0; i < keys.length; i++) {
        model.put(keys[i], values[i]);
      }
      assertEquals(model, new TreeMap<>(index.asMap()));
      long[] asked = random.longs(4000, -1000, 8000).toArray();
      long[] answers = new long[asked.length];
      long[] found = new long[asked.length / 64 + 1];
      int there = index.getAll(asked, answers, found);
      int expected = 0;
      for (int i = 0; i < asked.length; i++) {
        Long value = model.get(asked[i]);
        expected += value == null ? 0 : 1;
        assertEquals(value != null, (found[i / 64] >>> i & 1) != 0);
        assertEquals(value == null ? index.missingValue() : value, answers[i]);
      }
      assertEquals(expected, there);
    }
  }

  @Test
  void sampleDividesTheParts() {
    long[] sample = {50, 10, 20, 20, 30, 40};
    try (PartitionedIndex index =
        PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, 2, sample)) {
      assertEquals(29, index.balance.ranges()[0][1]);
      assertEquals(2, index.parts());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, 6, sample));
    for (int parts : new int[] {0, PartitionedIndex.MOST_PARTS + 1}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, parts));
    }
    try (PartitionedIndex index =
        PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, 7)) {
      index.put(Long.MIN_VALUE, 1);
      index.put(Long.MAX_VALUE, 2);
      index.verify();
      assertEquals(2, index.size());
    }
  }

  @Test
  void bulkloadFillsThePartsEvenly() {
    long[] keys = keys(10_000);
    for (long total : new long[] {10_000, -1, 5000, 10_007}) {
      try (PartitionedIndex index = index(4, 64)) {
        index.bulkload(
            LongEntrySource.of(keys, keys, keys.length), 1, total, ProgressListener.NONE);
        index.verify();
        assertEquals(10_000, index.size());
        for (long key : keys) {
          assertEquals(key, index.get(key));
        }
        if (total != 5000) {
          assertTrue(largestPart(index) <= 3500, "largest: " + largestPart(index));
        }
        assertThrows(IllegalStateException.class, () -> index.bulkload(keys, keys));
      }
    }
    for (int count : new int[] {0, 1, 3, 4, 5}) {
      for (long total : new long[] {count, -1, 9}) {
        try (PartitionedIndex index = index(4, 64)) {
          index.bulkload(LongEntrySource.of(keys, keys, count), 1, total, ProgressListener.NONE);
          index.verify();
          assertEquals(count, index.size());
          index.put(Long.MAX_VALUE, 1);
          index.verify();
        }
      }
    }
  }

  @Test
  void bulkloadThatFailsLeavesAnEmptyIndex() {
    for (int wrong : new int[] {1, 400, 5000, 9999}) {
      for (long total : new long[] {10_000, -1}) {
        long[] keys = keys(10_000);
        keys[wrong] = keys[wrong - 1];
        try (PartitionedIndex index = index(4, 64)) {
          IllegalArgumentException unsorted =
              assertThrows(
                  IllegalArgumentException.class,
                  () ->
                      index.bulkload(
                          LongEntrySource.of(keys, keys, keys.length),
                          1,
                          total,
                          ProgressListener.NONE));
          assertTrue(
              unsorted.getMessage().contains("of entry " + wrong + " "), unsorted.getMessage());
          assertTrue(index.isEmpty());
          index.verify();
          assertThrows(
              CancellationException.class,
              () ->
                  index.bulkload(
                      LongEntrySource.of(keys(10_000), keys, 10_000),
                      1,
                      total,
                      (done, _) -> done < 6000));
          assertTrue(index.isEmpty());
        }
      }
    }
    long[] last = {Long.MAX_VALUE};
    try (PartitionedIndex index = index(4, 64)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> index.bulkload(LongEntrySource.of(last, last, 1), 1, 4, ProgressListener.NONE));
      assertTrue(index.isEmpty());
      index.verify();
    }
  }

  @Test
  void entriesStayWhereTheyWereIfThereIsNoRoomInTheOtherPart() {
    IndexOptions options = IndexOptions.DEFAULT.withMemoryLimit(4 * IndexOptions.MIN_MEMORY_LIMIT);
    long[] lows = {Long.MIN_VALUE, 0, 1_000_000, 2_000_000};
    try (PartitionedIndex index = PartitionedIndex.create(PbPlusTree.VARIANT, options, lows, 8)) {
      long stored = 0;
      int refused = 0;
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 20_000; i++) {
        try {
          stored += index.insert(random.nextInt(3_000_000), i) ? 1 : 0;
        } catch (MemoryLimitException _) {
          refused++;
        }
      }
      assertTrue(refused > 100, "refused: " + refused);
      index.verify();
      assertEquals(stored, index.size());
      long counted = 0;
      for (LongCursor cursor = index.cursor(); cursor.next(); ) {
        counted++;
      }
      assertEquals(stored, counted);
    }
  }

  // ---------------------------------------------------------------- races

  /** The bound moves between the choice of a part and its lock: the key is found all the same. */
  @Test
  void callThatFindsItsBoundMovedGoesToTheOtherPart() throws Exception {
    try (PartitionedIndex index = index(2, 4)) {
      for (long key = 0; key < 1000; key++) {
        index.put(key, key);
      }
      // 995 is about to move from the first part to the second, whose locks another thread holds.
      IndexPart first = index.partOf(995);
      first.writing.acquire();
      List<Future<?>> calls = new ArrayList<>();
      calls.add(threads.submit(() -> assertEquals(995, index.get(995))));
      calls.add(threads.submit(() -> assertEquals(996, index.put(996, -1))));
      calls.add(threads.submit(() -> assertTrue(index.cursor().ceiling(997))));
      calls.add(
          threads.submit(
              () -> {
                long[] values = new long[3];
                index.getAll(new long[] {1, 998, 2}, values);
                assertEquals(998, values[1]);
              }));
      Thread.sleep(20); // Whether they wait by now or come later, they get the same.
      for (long key = 990; key < 1000; key++) {
        index.partOf(2000).index.put(key, key);
        first.index.delete(key);
      }
      index.partOf(2000).low = 990;
      first.high = 989;
      index.boundHasMoved();
      first.writing.close();
      for (Future<?> call : calls) {
        call.get(30, TimeUnit.SECONDS);
      }
      assertEquals(-1, index.get(996));
      index.verify();
    }
  }

  @Test
  void cursorGoesOnInThePartToWhichItsEntryHasMoved() {
    try (PartitionedIndex index = index(3, 64)) {
      for (long key = 0; key < 900; key++) {
        index.put(key, key);
      }
      LongCursor cursor = index.cursor();
      for (long key = 0; key < 700; key++) {
        assertTrue(cursor.next());
      }
      index.balance.finish();
      assertTrue(index.balance.ranges()[0][1] < 699);
      assertEquals(699, cursor.key());
      cursor.setValue(-1);
      assertEquals(-1, index.get(699));
      assertTrue(cursor.next());
      assertEquals(700, cursor.key());
      cursor.remove();
      assertThrows(IllegalStateException.class, cursor::key);
      assertTrue(cursor.previous());
      assertEquals(699, cursor.key());
      index.remove(699);
      assertThrows(IllegalStateException.class, () -> cursor.setValue(1));
    }
  }

  /** As behind a lock, the cursor keeps its place, from which it goes on in either direction. */
  @Test
  void aRefusedWriteThroughACursorLeavesItWhereItWas() {
    long[] lows = {Long.MIN_VALUE, 1000};
    List<Long> found = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    try (PartitionedIndex parts =
            PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, lows, 100);
        LongIndex locked = PbPlusTree.create(IndexOptions.DEFAULT).withReadWriteLock()) {
      noteMovesAfterRefusedWrites(parts, found);
      noteMovesAfterRefusedWrites(locked, expected);
    }
    assertEquals(expected, found);
  }

  private static void noteMovesAfterRefusedWrites(LongIndex index, List<Long> moves) {
    for (int move = 0; move < 3; move++) {
      for (int write = 0; write < 2; write++) {
        for (long key = 0; key < 2000; key += 100) {
          index.clear();
          for (long other = 0; other < 2000; other += 100) {
            index.set(other, other);
          }
          LongCursor cursor = index.cursor();
          assertTrue(cursor.ceiling(key));
          index.delete(key);
          boolean isSet = write == 0;
          assertThrows(
              IllegalStateException.class,
              () -> {
                if (isSet) {
                  cursor.setValue(1);
                } else {
                  cursor.remove();
                }
              });
          moves.add(cursor.key());
          LongRun run = new LongRun();
          boolean isMoved =
              switch (move) {
                case 0 -> cursor.next();
                case 1 -> cursor.previous();
                default -> cursor.nextRun(run);
              };
          moves.add(!isMoved ? -1 : move == 2 ? run.key(0) : cursor.key());
        }
      }
    }
  }

  @Test
  void writerBeforeAMoveTakesPartInIt() {
    try (PartitionedIndex index = index(3, 64)) {
      for (long key = 0; key < 900; key++) {
        index.put(key, key);
      }
      long[] written = {0};
      index.balance.beforeMove = () -> index.put(10_000 + written[0]++, 5);
      index.balance.finish();
      assertTrue(written[0] > 3, "moves: " + written[0]);
      assertEquals(900 + written[0], index.size());
      index.verify();
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyWhilePartsAreEvenedOut() throws Exception {
    try (PartitionedIndex index = index(4, 16)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      index.verify();
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyWhileAllBoundsMoveToAndFro() throws Exception {
    // With pieces larger than the index, nothing moves but what this test moves.
    try (PartitionedIndex index = index(4, 100_000)) {
      AtomicBoolean stop = new AtomicBoolean();
      Future<Integer> mover =
          threads.submit(
              () -> {
                SplittableRandom random = new SplittableRandom(9);
                int moved = 0;
                while (!stop.get()) {
                  boolean isUp = random.nextBoolean();
                  moved += index.balance.moveAcross(random.nextInt(3), isUp, 200) ? 1 : 0;
                }
                return moved;
              });
      try {
        KeyHistories.run(index, 5000, 3, 4, WRITES);
      } finally {
        stop.set(true);
      }
      assertTrue(mover.get() > 50, "moves: " + mover.get());
      index.verify();
    }
  }

  // ---------------------------------------------------------------- the whole

  @Test
  void checkNamesWhatIsDamaged() {
    try (PartitionedIndex index = index(3, 64)) {
      index.put(5, 5);
      index.verify();
      index.partOf(0).index.put(1500, 1);
      assertDamage("P2", index);
      index.partOf(0).index.delete(1500);
      index.partOf(0).high = 900;
      assertDamage("P1", index);
    }
  }

  private static void assertDamage(String invariant, LongIndex index) {
    InvariantViolationException found =
        assertThrows(InvariantViolationException.class, index::verify);
    assertTrue(found.getMessage().contains(invariant), found.getMessage());
  }

  @Test
  void statisticsAddUpThoseOfTheParts() {
    try (PartitionedIndex index = index(3, 64)) {
      for (long key = 0; key < 3000; key++) {
        index.put(key, key);
      }
      assertEquals(3000, index.statistics().entries());
      assertTrue(index.statistics().usedBytes() > 3000 * 16);
      assertThrows(UnsupportedOperationException.class, index::batchLookup);
      index.clear();
      assertTrue(index.isEmpty());
      index.shrink();
      index.verify();
    }
  }
}
