// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.batch.BufferOptions.Buffers;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.family.Family;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.TimedPageStore;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is mixed, however it is buffered: the answers are those of one by one. */
@Tag("fallback-thorough")
final class BufferedAccessTest {
  private static final long KEYS = 20_000;

  /** Writes down what it is told: per tag, values or entries; and the tags in their order. */
  private static final class Notes implements AnswerConsumer.Bulk {
    final Map<Long, List<Long>> answers = new HashMap<>();
    final List<Long> order = new ArrayList<>();

    @Override
    public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
      for (int i = from; i < to; i++) {
        assertTrue(answers.put(tags[i], List.of(values[i])) == null, "answered once");
        order.add(tags[i]);
      }
    }

    @Override
    public void entry(long tag, long key, long value) {
      answers.computeIfAbsent(tag, _ -> new ArrayList<>()).addAll(List.of(key, value));
    }

    @Override
    public void end(long tag) {
      answers.computeIfAbsent(tag, _ -> new ArrayList<>());
      order.add(tag);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 30})
  void everyProbeSeesTheUpdatesBeforeItAndNoOther(int percentUpdates) {
    for (TreeVariant variant : variants("" + percentUpdates)) {
      for (Buffers buffers : List.of(new Buffers.Variable(), new Buffers.Fixed(16))) {
        for (boolean inOrder : new boolean[] {false, true}) {
          checkMixture(
              variant,
              new BufferOptions(buffers, 1000, inOrder, null),
              percentUpdates,
              new SplittableRandom(percentUpdates));
        }
      }
    }
  }

  private static List<TreeVariant> variants(String from) {
    return TestSize.isThorough() ? Family.all() : TestSize.part(from, Family.all());
  }

  private static void checkMixture(
      TreeVariant variant, BufferOptions options, int percentUpdates, SplittableRandom random) {
    try (LongIndex index = variant.create(IndexOptions.DEFAULT)) {
      NavigableMap<Long, Long> model = new TreeMap<>();
      for (long key : random.longs(5000, 0, KEYS).toArray()) {
        index.put(key, -key);
        model.put(key, -key);
      }
      Map<Long, List<Long>> expected = new HashMap<>();
      Notes notes = new Notes();
      try (var access = BufferedAccess.over(index, options, notes)) {
        for (long tag = 0; tag < 3000; tag++) {
          long key = random.nextLong(KEYS);
          if (random.nextInt(100) < percentUpdates) {
            if (random.nextBoolean()) {
              access.put(key, tag);
              model.put(key, tag);
            } else {
              access.delete(key);
              model.remove(key);
            }
          } else {
            expected.put(tag, probe(access, model, key, tag, random.nextInt(200)));
          }
          assertTrue(access.waiting() <= options.mostWaiting(), "no more wait than may");
        }
      }
      assertEquals(expected, notes.answers, () -> variant.name() + " " + options);
      if (options.inOrder()) {
        assertEquals(expected.keySet().stream().sorted().toList(), notes.order);
      }
      assertEquals(model, index.asMap());
      index.verify();
    }
  }

  /** Adds a probe of some kind and returns what it has to find. */
  private static List<Long> probe(
      BufferedAccess access, NavigableMap<Long, Long> model, long key, long tag, int kind) {
    switch (kind) {
      case 0 -> {
        access.floor(key, tag);
        return words(model.headMap(key, true).descendingMap(), 1);
      }
      case 1 -> {
        access.ceiling(key, tag);
        return words(model.tailMap(key, true), 1);
      }
      case 2 -> {
        access.range(key, key + 40, tag);
        return words(model.subMap(key, true, key + 40, true), Integer.MAX_VALUE);
      }
      default -> {
        access.get(key, tag);
        return List.of(model.getOrDefault(key, IndexOptions.DEFAULT.missingValue()));
      }
    }
  }

  private static List<Long> words(Map<Long, Long> entries, int most) {
    List<Long> words = new ArrayList<>();
    entries.entrySet().stream()
        .limit(most)
        .forEach(entry -> words.addAll(List.of(entry.getKey(), entry.getValue())));
    return words;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void failingConsumerIsReportedAndEveryProbeAnswered(boolean inOrder) {
    try (LongIndex index = loaded()) {
      RuntimeException failure = new RuntimeException("consumer");
      List<Long> answered = new ArrayList<>();
      AnswerConsumer.Bulk failing =
          (tags, _, _, _, from, to) -> {
            for (int i = from; i < to; i++) {
              answered.add(tags[i]);
            }
            throw failure;
          };
      BufferOptions options = BufferOptions.DEFAULT.withInOrder(inOrder);
      var access = BufferedAccess.over(index, options, failing);
      for (int tag = 0; tag < 3000; tag++) {
        try {
          access.get(tag, tag);
        } catch (RuntimeException thrown) {
          assertSame(failure, thrown);
        }
      }
      assertSame(failure, assertThrows(RuntimeException.class, access::flush));
      assertEquals(3000, answered.stream().distinct().count());
      assertEquals(3000, answered.size());
      assertEquals(0, access.waiting());
      access.flush(); // Thrown once.
      access.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lambdaIsToldOfEveryAnswerWhetherItsKeyIsThere(boolean inOrder) {
    record Answer(long tag, long key, long value, boolean found) {}
    try (LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT)) {
      long missing = index.missingValue();
      index.put(1, 10);
      index.put(2, missing);
      List<Answer> answers = new ArrayList<>();
      BufferOptions options = BufferOptions.DEFAULT.withInOrder(inOrder);
      try (var access =
          BufferedAccess.over(
              index,
              options,
              (tag, key, value, found) -> answers.add(new Answer(tag, key, value, found)))) {
        access.get(1, 100);
        access.get(2, 101);
        access.get(3, 102);
        access.ceiling(-5, 103);
        access.range(1, 3, 104);
        access.floor(-5, 105);
      }
      answers.sort(Comparator.comparingLong(Answer::tag));
      assertEquals(
          List.of(
              new Answer(100, 1, 10, true),
              new Answer(101, 2, missing, true),
              new Answer(102, 3, missing, false),
              new Answer(103, 1, 10, true),
              new Answer(104, 1, 10, true),
              new Answer(104, 2, missing, true)),
          answers);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lambdaThatFailsForOneAnswerIsToldTheOthers(boolean inOrder) {
    try (LongIndex index = loaded()) {
      List<Long> answered = new ArrayList<>();
      BufferOptions options = BufferOptions.DEFAULT.withInOrder(inOrder);
      var access =
          BufferedAccess.over(
              index,
              options,
              (tag, _, _, _) -> {
                if (tag % 10 == 3) {
                  throw new RuntimeException("tag " + tag);
                }
                answered.add(tag);
              });
      for (int tag = 0; tag < 100; tag++) {
        access.get(7, tag);
      }
      RuntimeException thrown = assertThrows(RuntimeException.class, access::flush);
      assertEquals("tag 3", thrown.getMessage());
      assertEquals(90, answered.stream().distinct().count());
      assertEquals(90, answered.size());
      access.close();
    }
  }

  @Test
  void updateThatFindsNoMemoryIsReportedAndTheOthersApplied() {
    IndexOptions small = IndexOptions.DEFAULT.withMemoryLimit(IndexOptions.MIN_MEMORY_LIMIT);
    try (LongIndex index = PbPlusTree.create(small)) {
      Notes notes = new Notes();
      var access = BufferedAccess.over(index, BufferOptions.DEFAULT, notes);
      int refused = 0;
      for (int key = 0; key < 3000; key++) {
        try {
          access.put(key, key);
        } catch (MemoryLimitException full) { // Of this update, or of those before it.
          refused++;
        }
      }
      access.get(5, 1);
      assertThrows(MemoryLimitException.class, access::flush);
      assertTrue(refused > 0);
      assertEquals(Map.of(1L, List.of(5L)), notes.answers);
      assertTrue(index.size() > 100);
      access.close();
      index.verify();
    }
  }

  @Test
  void closeAnswersWhatWaits() {
    try (LongIndex index = loaded()) {
      Notes notes = new Notes();
      try (var access = BufferedAccess.over(index, BufferOptions.DEFAULT, notes)) {
        access.get(3, 7);
      }
      assertEquals(Map.of(7L, List.of(-3L)), notes.answers);
    }
  }

  @Test
  void indexThatIsClosedMeanwhileIsReported() {
    LongIndex index = loaded();
    var access = BufferedAccess.over(index, BufferOptions.DEFAULT, new Notes());
    access.get(3, 7);
    index.close();
    assertThrows(IllegalStateException.class, access::close);
    access.close();
  }

  @Test
  void indexThatGrowsFromNothingIsBufferedAllTheSame() {
    try (LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT)) {
      Notes notes = new Notes();
      try (var access =
          BufferedAccess.over(index, BufferOptions.DEFAULT.withMostWaiting(5000), notes)) {
        for (int key = 0; key < 200_000; key++) {
          access.put(key, key);
        }
        access.get(150_000, 1);
      }
      assertEquals(Map.of(1L, List.of(150_000L)), notes.answers);
      index.verify();
    }
  }

  @Test
  void leavesThatAreNotInThePoolAreReadTogether() {
    int entries = 2_000_000; // So many that cached pages would be visited one after the other.
    int apart = entries / 100;
    TimedPageStore store =
        new TimedPageStore(
            new MemoryPageStore(4096, Long.MAX_VALUE, HugePages.OFF), 80, 1, true, List.of());
    try (LongIndex index = DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store)) {
      long[] keys = LongStream.range(0, entries).toArray();
      index.bulkload(keys, keys);
      Notes notes = new Notes();
      try (var access = BufferedAccess.over(index, BufferOptions.DEFAULT, notes)) {
        store.resetCounters();
        for (long key = 0; key < entries; key += apart) {
          access.get(key, key);
        }
      }
      assertEquals(100, notes.answers.size());
      TimedPageStore.Transfers transfers = store.transfers();
      assertTrue(transfers.read() >= 100, transfers::toString);
      assertTrue(transfers.readWaves() < 10, transfers::toString);
    }
  }

  @Test
  void misuseIsRefusedByName() {
    try (LongIndex index = loaded()) {
      List<Consumer<BufferedAccess>> calls =
          List.of(a -> a.get(1, 1), a -> a.put(1, 1), a -> a.delete(1), BufferedAccess::flush);
      List<String> refusals = new ArrayList<>();
      BufferedAccess[] self = new BufferedAccess[1];
      var access =
          BufferedAccess.over(
              index,
              BufferOptions.DEFAULT,
              (_, _, _, _) ->
                  calls.forEach(
                      call ->
                          refusals.add(
                              assertThrows(IllegalStateException.class, () -> call.accept(self[0]))
                                  .getMessage())));
      self[0] = access;
      assertEquals(
          "tag is -1; it must not be negative",
          assertThrows(IllegalArgumentException.class, () -> access.get(1, -1)).getMessage());
      access.get(1, 1);
      access.flush();
      assertEquals(calls.size(), refusals.size());
      access.close();
      for (Consumer<BufferedAccess> call : calls) {
        assertEquals(
            "the buffered access is closed",
            assertThrows(IllegalStateException.class, () -> call.accept(access)).getMessage());
      }
      var locked = index.withReadWriteLock();
      assertThrows(
          UnsupportedOperationException.class,
          () -> BufferedAccess.over(locked, BufferOptions.DEFAULT, new Notes()));
      BufferOptions tooHigh = BufferOptions.DEFAULT.withNodes(VirtualNodes.of(9, 9));
      assertThrows(
          IllegalArgumentException.class, () -> BufferedAccess.over(index, tooHigh, new Notes()));
    }
  }

  private static LongIndex loaded() {
    LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);
    for (long key = 0; key < KEYS; key++) {
      index.put(key, -key);
    }
    return index;
  }
}
