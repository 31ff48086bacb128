// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process with a store is killed while it commits, and again, and again. */
class KilledProcessTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final int KEYS = 50;

  @TempDir Path folder;

  private static KeyValueStore<Bytes, byte[]> open(Path folder) {
    return new TestContext(folder, true).open(EspalierStores.keyValueStore("s").get());
  }

  /** Writes one number to all keys, commits it as the offset, prints it, and goes on. */
  public static void main(String[] args) {
    KeyValueStore<Bytes, byte[]> store = open(Path.of(args[0]));
    Long last = store.committedOffset(CHANGELOG);
    for (long number = last == null ? 1 : last + 1; ; number++) {
      for (int key = 0; key < KEYS; key++) {
        store.put(Bytes.wrap(new byte[] {(byte) key}), bytes(number));
      }
      store.commit(Map.of(CHANGELOG, number));
      System.out.println(number);
    }
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  @Test
  void entriesAndOffsetAgree() throws Exception {
    long before = 0;
    for (long round : TestSize.seeds(2, 30)) {
      int lines = new SplittableRandom(round).nextInt(1, 101);
      long acknowledged =
          Long.parseLong(KilledProcess.lastLine(KilledProcessTest.class, folder, lines));
      KeyValueStore<Bytes, byte[]> store = open(folder);
      Long offset = store.committedOffset(CHANGELOG);
      assertNotNull(offset);
      assertTrue(offset >= acknowledged && offset > before, "offset " + offset);
      byte[] first = store.get(Bytes.wrap(new byte[] {0}));
      assertNotNull(first);
      for (int key = 1; key < KEYS; key++) {
        assertArrayEquals(first, store.get(Bytes.wrap(new byte[] {(byte) key})), "key " + key);
      }
      // The entries of a commit are stored just before their offset; a replay stores them again.
      long number = ByteBuffer.wrap(first).getLong();
      assertTrue(number == offset || number == offset + 1, number + " at offset " + offset);
      assertEquals(KEYS, store.approximateNumEntries());
      before = offset;
      store.close();
    }
  }
}
