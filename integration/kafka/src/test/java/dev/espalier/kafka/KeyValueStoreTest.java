// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.BytesSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.query.FailureReason;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyValueStoreTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final int STEPS = TestSize.share(2_500, 60_000);

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path folder;

  private static KeyValueStore<Bytes, byte[]> store() {
    return EspalierStores.keyValueStore("s").get();
  }

  private static Bytes bytes(String text) {
    return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersAsKafkasStoreInMemoryDoes(boolean exactlyOnce) {
    Random random = new Random(2 * TestSize.seed() + (exactlyOnce ? 1 : 2));
    KeyValueStore<Bytes, byte[]> model = Stores.inMemoryKeyValueStore("m").get();
    new TestContext(folder, exactlyOnce).open(model);
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, exactlyOnce).open(store());
    for (int step = 0; step < STEPS; step++) {
      Bytes key = StoreComparison.key(random);
      Bytes other = StoreComparison.key(random);
      byte[] value = StoreComparison.value(random);
      String what = "step " + step;
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> {
          model.put(key, value);
          store.put(key, value);
        }
        case 3 ->
            StoreComparison.assertSameValue(
                model.putIfAbsent(key, value), store.putIfAbsent(key, value), what);
        case 4 -> StoreComparison.assertSameValue(model.delete(key), store.delete(key), what);
        case 5 -> {
          List<KeyValue<Bytes, byte[]>> all =
              List.of(KeyValue.pair(key, value), KeyValue.pair(other, null));
          model.putAll(all);
          store.putAll(all);
        }
        case 6 -> {
          if (key.compareTo(other) <= 0) { // The model warns otherwise.
            StoreComparison.assertSame(model.range(key, other), store.range(key, other), what);
            StoreComparison.assertSame(
                model.reverseRange(key, other), store.reverseRange(key, other), what);
          } else {
            assertEquals(List.of(), StoreComparison.list(store.range(key, other)), what);
          }
        }
        case 7 -> {
          StoreComparison.assertSame(model.range(null, key), store.range(null, key), what);
          StoreComparison.assertSame(
              model.reverseRange(key, null), store.reverseRange(key, null), what);
        }
        case 8 ->
            assertEquals( // The model's own scan goes wrong where prefixes end in 0xFF.
                StoreComparison.list(model.all()).stream()
                    .filter(entry -> entry.matches(prefixPattern(key)))
                    .toList(),
                StoreComparison.list(store.prefixScan(key, new BytesSerializer())),
                what);
        case 9 -> {
          store.commit(Map.of(CHANGELOG, (long) step));
          assertEquals(step, store.committedOffset(CHANGELOG), what);
        }
        case 10 -> {
          if (step % 100 == 0) {
            store.commit(Map.of());
            store.close();
            store = new TestContext(folder, exactlyOnce).open(store());
          }
        }
        default -> StoreComparison.assertSameValue(model.get(key), store.get(key), what);
      }
    }
    StoreComparison.assertSame(model.all(), store.all(), "all");
    StoreComparison.assertSame(model.reverseAll(), store.reverseAll(), "reverse");
    store.commit(Map.of());
    assertEquals(model.approximateNumEntries(), store.approximateNumEntries());
    store.close();
  }

  /** Returns what matches an entry as {@code StoreComparison.list} shows it. */
  private static String prefixPattern(Bytes prefix) {
    String shown = Arrays.toString(prefix.get());
    return Pattern.quote(shown.substring(0, shown.length() - 1)) + "[,\\]].*";
  }

  @Test
  void whatWasNotCommittedIsNotThereAfterARestartWithExactlyOnce() {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, true).open(store());
    store.put(bytes("a"), new byte[] {1});
    store.put(bytes("b"), new byte[] {1});
    store.commit(Map.of(CHANGELOG, 7L));
    store.put(bytes("a"), new byte[] {2});
    store.put(bytes("b"), null);
    assertArrayEquals(new byte[] {2}, store.get(bytes("a")));
    assertNull(store.get(bytes("b")));
    store.close();

    store = new TestContext(folder, true).open(store());
    assertArrayEquals(new byte[] {1}, store.get(bytes("a")));
    assertArrayEquals(new byte[] {1}, store.get(bytes("b")));
    assertEquals(7, store.committedOffset(CHANGELOG));
    store.close();
  }

  @Test
  void aNewStoreHasNoOffset() {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, true).open(store());
    assertNull(store.committedOffset(CHANGELOG));
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recordsOfTheChangelogAreRestored(boolean exactlyOnce) {
    TestContext context = new TestContext(folder, exactlyOnce);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    Random random = new Random(3);
    TreeMap<Bytes, byte[]> expected = new TreeMap<>();
    for (int batch = 0; batch < 20; batch++) {
      List<KeyValue<byte[], byte[]>> records = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        Bytes key = StoreComparison.key(random);
        if (random.nextInt(4) == 0) {
          expected.remove(key);
          records.add(KeyValue.pair(key.get(), null));
        } else {
          byte[] value = StoreComparison.value(random);
          expected.put(key, value);
          records.add(KeyValue.pair(key.get(), value));
        }
      }
      context.restore(records);
    }
    KeyValueIterator<Bytes, byte[]> all = store.all();
    expected.forEach(
        (key, value) -> {
          assertEquals(key, all.peekNextKey());
          assertArrayEquals(value, all.next().value);
        });
    assertFalse(all.hasNext());
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aKeyThatIsTooLongIsRefusedAndNothingElseIs(boolean exactlyOnce) {
    TestContext context = new TestContext(folder, exactlyOnce);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    Bytes longest = Bytes.wrap(new byte[65_535]);
    Bytes tooLong = Bytes.wrap(new byte[65_536]);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> store.put(tooLong, new byte[1]));
    assertEquals("key has 65536 bytes; at most 65535 are allowed", refused.getMessage());
    assertThrows(IllegalArgumentException.class, () -> store.put(tooLong, null));
    store.put(longest, new byte[] {1});
    store.commit(Map.of(CHANGELOG, 2L));
    assertArrayEquals(new byte[] {1}, store.get(longest));
    assertEquals(1, store.approximateNumEntries());
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aKeyThatIsTooLongIsLookedForInVain(boolean exactlyOnce) {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, exactlyOnce).open(store());
    Bytes longest = Bytes.wrap(new byte[65_535]);
    Bytes tooLong = Bytes.wrap(new byte[65_536]);
    Bytes longer = Bytes.wrap(new byte[65_537]);
    store.put(bytes("a"), new byte[] {1});
    store.put(longest, new byte[] {2});
    for (int round = 0; round < 2; round++) { // What is held back, and what is in the file.
      assertNull(store.get(tooLong));
      assertEquals(1, StoreComparison.list(store.range(tooLong, null)).size());
      assertEquals(1, StoreComparison.list(store.reverseRange(null, tooLong)).size());
      assertEquals(0, StoreComparison.list(store.range(tooLong, longer)).size());
      assertEquals(1, StoreComparison.list(store.range(longest, longer)).size());
      assertEquals(
          0, StoreComparison.list(store.prefixScan(tooLong, new BytesSerializer())).size());
      store.commit(Map.of(CHANGELOG, 2L));
    }
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWindowOfAKeyThatIsTooLongIsLookedForInVain(boolean exactlyOnce) {
    WindowStore<Bytes, byte[]> store =
        new TestContext(folder, exactlyOnce)
            .open(EspalierStores.windowStore("w", MINUTE, MINUTE, false).get());
    Bytes key = Bytes.wrap(new byte[70_000]);
    store.put(bytes("a"), new byte[1], 0);
    assertNull(store.fetch(key, 0));
    assertEquals(0, StoreComparison.list(store.fetch(key, 0, 10)).size());
    assertEquals(1, StoreComparison.list(store.fetch(key, null, 0, 10)).size());
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWindowOfAKeyThatIsTooLongIsRefused(boolean exactlyOnce) {
    WindowStore<Bytes, byte[]> store =
        new TestContext(folder, exactlyOnce)
            .open(EspalierStores.windowStore("w", MINUTE, MINUTE, false).get());
    Bytes key = Bytes.wrap(new byte[32_760]); // Encoded it has twice as many bytes, and 18.
    assertThrows(IllegalArgumentException.class, () -> store.put(key, new byte[1], 0));
    store.put(bytes("a"), new byte[1], 0);
    store.commit(Map.of(CHANGELOG, 1L));
    assertEquals(1, StoreComparison.list(store.all()).size());
    store.close();
  }

  @Test
  void aStoreThatKafkaDoesNotTakeKeepsNothingOpen() {
    TestContext context = new TestContext(folder, false);
    context.refusal = new StreamsException("there is such a store");
    assertThrows(StreamsException.class, () -> context.open(store()));
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, false).open(store());
    store.put(bytes("a"), new byte[1]);
    store.close();
  }

  @Test
  void aStoreThatIsClosedSaysSo() {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, false).open(store());
    store.put(bytes("a"), new byte[1]);
    store.put(bytes("b"), new byte[1]);
    store.put(bytes("c"), new byte[1]);
    KeyValueIterator<Bytes, byte[]> left = store.all();
    left.next();
    store.close();
    store.close();
    assertFalse(store.isOpen());
    StoreComparison.assertSaysClosed(() -> store.get(bytes("a")));
    StoreComparison.assertSaysClosed(() -> store.put(bytes("a"), new byte[1]));
    StoreComparison.assertSaysClosed(store::all);
    StoreComparison.assertSaysClosed(() -> store.commit(Map.of()));
    StoreComparison.assertSaysClosed(store::approximateNumEntries);
    StoreComparison.assertSaysClosed(() -> left.forEachRemaining(_ -> {}));
  }

  @Test
  void anIteratorThatIsClosedSaysSo() {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, false).open(store());
    KeyValueIterator<Bytes, byte[]> all = store.all();
    all.close();
    StoreComparison.assertSaysClosed(all::hasNext);
    StoreComparison.assertSaysClosed(all::next);
    store.close();
  }

  @Test
  void queriesAreAnswered() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    context.setOffset(5);
    store.put(bytes("a"), new byte[] {1});
    context.setOffset(6);
    store.put(bytes("b"), new byte[] {2});

    Query<byte[]> one = KeyQuery.withKey(bytes("b"));
    QueryResult<byte[]> answer = store.query(one, PositionBound.unbounded(), new QueryConfig(true));
    assertArrayEquals(new byte[] {2}, answer.getResult());
    assertEquals(Map.of(0, 6L), answer.getPosition().getPartitionPositions("input"));
    assertEquals(1, answer.getExecutionInfo().size());

    Query<KeyValueIterator<Bytes, byte[]>> range =
        RangeQuery.<Bytes, byte[]>withLowerBound(bytes("a")).withDescendingKeys();
    try (KeyValueIterator<Bytes, byte[]> entries =
        store.query(range, PositionBound.unbounded(), new QueryConfig(false)).getResult()) {
      assertEquals(bytes("b"), entries.next().key);
      assertEquals(bytes("a"), entries.next().key);
      assertFalse(entries.hasNext());
    }

    Position at6 = Position.emptyPosition().withComponent("input", 0, 6);
    Position at7 = Position.emptyPosition().withComponent("input", 0, 7);
    assertTrue(store.query(one, PositionBound.at(at6), new QueryConfig(false)).isSuccess());
    assertEquals(
        FailureReason.NOT_UP_TO_BOUND,
        store.query(one, PositionBound.at(at7), new QueryConfig(false)).getFailureReason());
    assertEquals(
        FailureReason.UNKNOWN_QUERY_TYPE,
        store
            .query(new Query<String>() {}, PositionBound.unbounded(), new QueryConfig(false))
            .getFailureReason());
    store.close();
  }

  @Test
  void aQueryThatFailsIsAnsweredByAFailureAsKafkasStoresDo() {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, false).open(store());
    store.put(bytes("a"), new byte[] {1});
    store.close();
    Query<byte[]> one = KeyQuery.withKey(bytes("a"));
    KeyValueStore<Bytes, byte[]> model = Stores.persistentKeyValueStore("m").get();
    new TestContext(folder, false).open(model);
    model.close();
    QueryResult<byte[]> expected =
        model.query(one, PositionBound.unbounded(), new QueryConfig(false));
    assertEquals(FailureReason.STORE_EXCEPTION, expected.getFailureReason());
    QueryResult<byte[]> answer =
        store.query(one, PositionBound.unbounded(), new QueryConfig(false));
    assertEquals(FailureReason.STORE_EXCEPTION, answer.getFailureReason());
    assertTrue(answer.getFailureMessage().contains("store s is closed"), answer::getFailureMessage);
  }

  @Test
  void thePositionIsCommittedWithTheEntries() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    context.setOffset(5);
    store.put(bytes("a"), new byte[] {1});
    store.commit(Map.of());
    store.close();
    store = new TestContext(folder, true).open(store());
    assertEquals(Map.of(0, 5L), store.getPosition().getPartitionPositions("input"));
    store.close();
  }

  @Test
  void aPoolThatIsNoNumberOrTooSmallIsRefused() {
    for (String wrong : List.of("much", "1000", "-1")) {
      TestContext context =
          new TestContext(folder, false, Map.of(EspalierStores.POOL_BYTES_CONFIG, wrong));
      ConfigException refused =
          assertThrows(ConfigException.class, () -> context.open(store()), wrong);
      assertTrue(refused.getMessage().contains("espalier.pool.bytes"), refused.getMessage());
      assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
    }
  }

  @Test
  void readersGoOnBesideTheWriter() throws Exception {
    KeyValueStore<Bytes, byte[]> store = new TestContext(folder, false).open(store());
    for (int i = 0; i < 1000; i++) {
      store.put(bytes("kept" + (1000 + i)), new byte[] {1});
    }
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int round = 0; round < 20; round++) {
                      int kept = 0;
                      try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
                        while (all.hasNext()) {
                          kept +=
                              new String(all.next().key.get(), StandardCharsets.UTF_8)
                                      .startsWith("kept")
                                  ? 1
                                  : 0;
                        }
                      }
                      assertEquals(1000, kept);
                    }
                  } catch (Throwable e) {
                    thrown.add(e);
                  }
                });
    Random random = new Random(4);
    while (reader.isAlive()) {
      Bytes key = bytes("kept" + random.nextInt(10_000) + "x");
      if (random.nextBoolean()) {
        store.put(bytes("x" + random.nextInt(1000)), StoreComparison.value(random));
      } else {
        store.delete(bytes("x" + random.nextInt(1000)));
      }
      store.get(key);
    }
    assertEquals(List.of(), thrown);
    store.close();
  }

  @Test
  void figuresAreInKafkasRegistry() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    store.put(bytes("a"), new byte[1]);
    assertEquals(1.0, figure(context, "held-back"));
    assertEquals(1.0, figure(context, "entries"));
    store.commit(Map.of());
    assertEquals(0.0, figure(context, "held-back"));
    assertTrue((double) figure(context, "file-bytes") > 0);
    store.close();
    assertTrue(
        context.metrics().metrics().keySet().stream()
            .noneMatch(name -> name.group().equals("espalier-store-metrics")));
  }

  static Object figure(TestContext context, String name) {
    return context.metrics().metrics().entrySet().stream()
        .filter(entry -> entry.getKey().group().equals("espalier-store-metrics"))
        .filter(entry -> entry.getKey().name().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue()
        .metricValue();
  }
}
