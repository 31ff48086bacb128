// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A log that lies behind good checksums, in its records and in the first blocks of its segments:
 * recovery and salvage say what is wrong, or answer, in bounded time and memory.
 */
class LyingLogTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private static List<String> trees() {
    return TestSize.isThorough() ? PagedTrees.allNames() : TestSize.part(PagedTrees.allNames());
  }

  @ParameterizedTest
  @MethodSource("trees")
  void everyCallAnswersOrSaysWhatIsWrong(String tree) throws Exception {
    assertNothingRaw(tree, TestSize.seeds(4, 120));
  }

  private void assertNothingRaw(String tree, long... seeds) throws Exception {
    LyingStore lying = new LyingStore(folder, tree);
    SortedMap<Path, byte[]> crashed = crash(lying, tree);
    List<Path> segments =
        crashed.keySet().stream().filter(file -> !file.equals(lying.path())).toList();
    List<String> wrongs = new ArrayList<>();
    for (long seed : seeds) {
      Random random = new Random(seed);
      for (Map.Entry<Path, byte[]> file : crashed.entrySet()) {
        Files.write(file.getKey(), file.getValue());
      }
      ForgedLog forged = new ForgedLog(segments.get(random.nextInt(segments.size())));
      String what = tree + ", seed " + seed + ", " + forged.forge(random);
      wrongs.addAll(lying.wrongsOf(what, random));
    }
    assertEquals("", String.join("\n", wrongs));
  }

  @Test
  void aBatchThatMakesNoSenseIsRefusedByItsPlace() throws IOException {
    LyingStore lying = new LyingStore(folder, "BLinkTree");
    int forged = 0;
    for (Map.Entry<Path, byte[]> file : crash(lying, "BLinkTree").entrySet()) {
      Files.write(file.getKey(), file.getValue());
      if (!file.getKey().equals(lying.path())) {
        forged += new ForgedLog(file.getKey()).forgeLastBatch(99) ? 1 : 0;
      }
    }
    assertTrue(forged > 0);
    String message = assertThrows(PageFileException.class, lying::open).getMessage();
    assertTrue(
        message.contains(lying.path().toString()) && message.contains("makes no sense"), message);
  }

  /** Returns the files of a store that a crash leaves, with several segments of a log. */
  private SortedMap<Path, byte[]> crash(LyingStore lying, String tree) throws IOException {
    SortedMap<Path, byte[]> files = new TreeMap<>();
    Random random = new Random(4);
    try (IndexStore store = lying.open()) {
      StoredIndex.of(store, tree, "b").set(1, 1);
      store.checkpoint();
      for (int i = 0; i < LyingStore.KEYS; i++) {
        StoredIndex index = StoredIndex.of(store, tree, random.nextInt(4) == 0 ? "b" : "a");
        long key = random.nextInt(LyingStore.KEYS);
        switch (random.nextInt(40)) {
          case 0 -> index.removeRange(key, key + 5);
          case 1, 2, 3, 4, 5, 6 -> index.delete(key);
          default -> index.set(key, i);
        }
        if (i % 100 == 0) {
          store.commit(new byte[] {1, 2});
        }
      }
      StoredIndex.of(store, tree, "b").clear();
      store.commit();
      for (Path file : IndexStore.files(lying.path())) {
        files.put(file, Files.readAllBytes(file));
      }
    }
    lying.clean();
    return files;
  }
}
