// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it restores one store after the other. */
class KilledRestoreTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final int KEYS = 200;
  private static final int SORTED = 10;
  private static final int SINGLY = 10;

  @TempDir Path folder;

  /** Restores stores, each sorted first, then loaded, and then batch by batch. */
  public static void main(String[] args) {
    for (int number = 0; ; number++) {
      TestContext context = new TestContext(Path.of(args[0]), true);
      KeyValueStore<Bytes, byte[]> store = context.open(store(number));
      for (long batch = 1; batch <= SORTED + SINGLY; batch++) {
        context.restore(records(batch));
        store.commit(Map.of(CHANGELOG, batch));
        System.out.println(number);
        if (batch == SORTED) {
          store.get(key(0)); // Loads them.
        }
      }
      store.close();
    }
  }

  private static KeyValueStore<Bytes, byte[]> store(int number) {
    return EspalierStores.keyValueStore("s" + number).get();
  }

  private static Bytes key(int number) {
    return Bytes.wrap(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }

  /** Returns records of all keys, whose value is the number of their batch. */
  private static List<KeyValue<byte[], byte[]>> records(long batch) {
    byte[] value = ByteBuffer.allocate(100).putLong(batch).array();
    return IntStream.range(0, KEYS).mapToObj(i -> KeyValue.pair(key(i).get(), value)).toList();
  }

  @Test
  void noStoreIsBehindItsOffset() throws Exception {
    for (long round : TestSize.seeds(2, 30)) {
      int lines = new SplittableRandom(round).nextInt(1, 61);
      Path own = folder.resolve("round" + round);
      int last = Integer.parseInt(KilledProcess.lastLine(KilledRestoreTest.class, own, lines));
      for (int number = 0; number <= last; number++) {
        String what = "store " + number + " of 0 to " + last + ", round " + round;
        TestContext context = new TestContext(own, true);
        KeyValueStore<Bytes, byte[]> store = context.open(store(number));
        Long offset = store.committedOffset(CHANGELOG);
        assertTrue(number == last || offset != null, what);
        long next = offset == null ? 1 : offset + 1;
        for (int key = 0; offset != null && key < KEYS; key++) {
          byte[] value = store.get(key(key));
          assertNotNull(value, what);
          assertTrue(ByteBuffer.wrap(value).getLong() >= offset, what);
        }
        for (long batch = next; batch <= SORTED + SINGLY + 1; batch++) { // What Kafka replays.
          context.restore(records(batch));
        }
        assertEquals(
            SORTED + SINGLY + 1L, ByteBuffer.wrap(store.get(key(KEYS - 1))).getLong(), what);
        assertEquals(KEYS, store.approximateNumEntries(), what);
        store.close();
      }
    }
  }
}
