// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes of byte strings that recovery gathers. */
class SortedStringWritesTest {
  private static final int ENTRIES = 20_000;
  private static final int PAGE_BYTES = 4096;

  /** A pool for a tenth of the pages. */
  private static final StoreOptions COLD =
      StoreOptions.DEFAULT.withFiles(
          FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(48 * PAGE_BYTES));

  @TempDir private Path folder;

  @Test
  void theLastWriteToEachKeyIsTheOneThatCounts() {
    Random random = new Random(5);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    try (PrefixBPlusTree tree = PrefixBPlusTree.create()) {
      SortedStringWrites writes = new SortedStringWrites(tree, 0);
      for (int i = 0; i < TestSize.of(12_000, 100_000); i++) {
        byte[] record = new byte[20 + random.nextInt(i % 1_000 == 7 ? 700_000 : 2_000)];
        random.nextBytes(record);
        int at = random.nextInt(3);
        int key = random.nextInt(3);
        byte[] bytes = Arrays.copyOfRange(record, at, at + key);
        if (random.nextInt(4) == 0) {
          writes.delete(record, at, key);
          model.remove(bytes);
        } else {
          int value = record.length - at - key;
          writes.set(record, at, key, value);
          model.put(bytes, Arrays.copyOfRange(record, at + key, record.length));
        }
        Arrays.fill(record, (byte) 0); // What is gathered is a copy.
        if (random.nextInt(20_000) == 0) {
          writes.clear();
          tree.clear();
          model.clear();
        }
      }
      writes.apply();
      assertHolds(model, tree);
      writes.apply();
      assertHolds(model, tree);
    }
  }

  private static void assertHolds(Map<byte[], byte[]> model, BytesIndex tree) {
    tree.verify();
    assertEquals(model.size(), tree.size());
    model.forEach((key, value) -> assertArrayEquals(value, tree.get(key)));
  }

  private static byte[] key(int number) {
    return ("a key that is somewhat longer " + number * 7919L % ENTRIES)
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void recoveryWritesEachPageAboutOnceWhateverTheOrderOfTheLog() throws IOException {
    Path live = folder.resolve("live");
    Path killed = folder.resolve("killed");
    Files.createDirectories(live);
    try (IndexStore store = IndexStore.open(live.resolve("store"), COLD)) {
      BytesIndex index = store.bytesIndex("names");
      for (int i = 0; i < ENTRIES; i++) {
        index.set(key(i), new byte[40]);
      }
      store.checkpoint();
      for (int i = 0; i < ENTRIES; i += 3) {
        index.set(key(i), new byte[] {1, 2, 3});
      }
      store.commit();
      Stores.copy(live, killed);
    }
    try (IndexStore store = IndexStore.open(killed.resolve("store"), COLD)) {
      assertFalse(store.recovery().wasClean());
      StoreStatistics statistics = store.statistics();
      assertTrue(statistics.pageBytesWritten() < 2 * statistics.usedBytes(), statistics::toString);
      BytesIndex index = store.bytesIndex("names");
      assertEquals(ENTRIES, index.size());
      for (int i = 0; i < ENTRIES; i++) {
        assertEquals(i % 3 == 0 ? 3 : 40, index.get(key(i)).length);
      }
    }
  }
}
