// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.espalier.TestSize;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionStoreTest {
  private static final int STEPS = TestSize.share(1_500, 30_000);
  private static final Duration RETENTION = Duration.ofMinutes(5);
  private static final Bytes A = Bytes.wrap(new byte[] {'a'});

  @TempDir Path folder;

  private static SessionStore<Bytes, byte[]> store() {
    return EspalierStores.sessionStore("s", RETENTION).get();
  }

  private static Windowed<Bytes> session(Bytes key, long start, long end) {
    return new Windowed<>(key, new SessionWindow(start, end));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersAsKafkasStoreInMemoryDoes(boolean exactlyOnce) {
    Random random = new Random(2 * TestSize.seed() + (exactlyOnce ? 1 : 0));
    SessionStore<Bytes, byte[]> model = Stores.inMemorySessionStore("m", RETENTION).get();
    new TestContext(folder, exactlyOnce).open(model);
    SessionStore<Bytes, byte[]> store = new TestContext(folder, exactlyOnce).open(store());
    long now = 0;
    for (int step = 0; step < STEPS; step++) {
      now += random.nextInt(2_000);
      Bytes key = StoreComparison.key(random);
      Bytes other = StoreComparison.key(random);
      Bytes from = key.compareTo(other) <= 0 ? key : other;
      Bytes to = key.compareTo(other) <= 0 ? other : key;
      byte[] value = StoreComparison.value(random);
      long start = Math.max(0, now - random.nextInt(400_000)) / 10_000 * 10_000;
      long end = start + random.nextInt(4) * 10_000;
      String what = "step " + step;
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> {
          model.put(session(key, start, end), value);
          store.put(session(key, start, end), value);
        }
        case 4 -> {
          model.remove(session(key, start, end));
          store.remove(session(key, start, end));
        }
        case 5 -> {
          StoreComparison.assertSameValue(
              model.fetchSession(key, start, end), store.fetchSession(key, start, end), what);
          StoreComparison.assertSameEntries(model.fetch(key), store.backwardFetch(key), what);
        }
        case 6 -> {
          StoreComparison.assertSameEntries(
              model.findSessions(key, start, end), store.findSessions(key, start, end), what);
          StoreComparison.assertSameEntries(
              model.backwardFindSessions(key, start, end),
              store.backwardFindSessions(key, start, end),
              what);
        }
        case 7 -> {
          StoreComparison.assertSameEntries(
              model.findSessions(from, to, start, end),
              store.findSessions(from, to, start, end),
              what);
          StoreComparison.assertSameEntries(
              model.backwardFindSessions(from, to, start, end),
              store.backwardFindSessions(from, to, start, end),
              what);
          StoreComparison.assertSameEntries(model.fetch(from, to), store.fetch(from, to), what);
        }
        case 8 ->
            StoreComparison.assertSameEntries(
                model.findSessions(start, end), store.findSessions(start, end), what);
        default -> {
          if (step % 20 == 0) {
            store.commit(Map.of());
          } else if (step % 20 == 10) {
            store.commit(Map.of());
            store.close();
            store = new TestContext(folder, exactlyOnce).open(store());
          }
        }
      }
    }
    store.close();
  }

  @Test
  void recordsOfTheChangelogAreRestored() {
    TestContext context = new TestContext(folder, true);
    SessionStore<Bytes, byte[]> store = context.open(store());
    byte[] key = ByteBuffer.allocate(17).put(A.get()).putLong(500).putLong(100).array();
    byte[] removed = ByteBuffer.allocate(17).put(A.get()).putLong(600).putLong(100).array();
    context.restore(
        List.of(
            KeyValue.pair(key, new byte[] {1}),
            KeyValue.pair(removed, new byte[] {2}),
            KeyValue.pair(removed, null)));
    assertArrayEquals(new byte[] {1}, store.fetchSession(A, 100, 500));
    assertNull(store.fetchSession(A, 100, 600));
    store.close();
  }

  @Test
  void queriesAreAnswered() {
    SessionStore<Bytes, byte[]> store = new TestContext(folder, true).open(store());
    store.put(session(A, 100, 500), new byte[] {1});
    assertEquals(
        1,
        StoreComparison.list(
                store
                    .query(
                        WindowRangeQuery.<Bytes, byte[]>withKey(A),
                        PositionBound.unbounded(),
                        new QueryConfig(false))
                    .getResult())
            .size());
    store.close();
  }
}
