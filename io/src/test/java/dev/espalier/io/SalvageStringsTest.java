// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.StoredPrefixTree;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link SalvageTest} leaves to say of byte strings. */
class SalvageStringsTest {
  private static final int PAGE_BYTES = 512;
  private static final int KEYS = 100;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private Path path() {
    return folder.resolve("store.esp");
  }

  private Path target() {
    return folder.resolve("saved.esp");
  }

  private static StoreOptions options() {
    FileOptions files = PagedTrees.options(StoreBytesIndex.KIND, PAGE_BYTES, 16);
    return StoreOptions.DEFAULT.withFiles(files).withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  /** Returns keys, of which the second half differ behind what a page has of a separator. */
  private static List<byte[]> keys() {
    List<byte[]> keys = new ArrayList<>();
    for (String beginning : List.of("a", "b".repeat(PAGE_BYTES / 8))) {
      for (int i = 0; i < KEYS; i++) {
        keys.add((beginning + "%04d".formatted(i)).getBytes(UTF_8));
      }
    }
    return keys;
  }

  /** Returns where in the file the leaves of the index are. */
  private List<Long> leaves() throws IOException {
    StoredBytes bytes = new StoredBytes(path());
    List<Long> leaves = new ArrayList<>();
    try (IndexStore store = IndexStore.open(path(), options())) {
      StoreState state = store.state();
      PageMap map = state.indexes.get("a").map;
      for (int page = 1; page < map.end(); page++) {
        int slot = map.slot(page);
        if (slot > PageMap.UNWRITTEN) {
          long at = state.space.position(slot);
          byte[] read = bytes.read(at, PAGE_BYTES);
          if (StoredPrefixTree.isLeaf(MemorySegment.ofArray(read), 0)) {
            leaves.add(at);
          }
        }
      }
    }
    return leaves;
  }

  private static boolean has(List<SalvageReport.KeyRange> ranges, byte[] key) {
    return ranges.stream()
        .anyMatch(
            range ->
                Arrays.compareUnsigned(range.first(), key) <= 0
                    && (range.end() == null || Arrays.compareUnsigned(key, range.end()) < 0));
  }

  @Test
  void leavesBetweenSeparatorsThatAreCutAreNotLostWithoutAWord() throws IOException {
    List<byte[]> keys = keys();
    try (IndexStore store = IndexStore.open(path(), options())) {
      BytesIndex index = store.bytesIndex("a");
      keys.forEach(key -> index.set(key, key));
    }
    byte[] sound = Files.readAllBytes(path());
    List<Long> leaves = leaves();
    assertTrue(leaves.size() > 10, leaves.toString());
    for (long at : leaves) {
      Files.write(path(), sound);
      new StoredBytes(path()).flip(leaves.getFirst() + PAGE_BYTES / 2);
      if (at != leaves.getFirst()) {
        new StoredBytes(path()).flip(at + PAGE_BYTES / 2);
      }
      SalvageReport report =
          Salvage.salvage(path(), options().files(), target(), ProgressListener.NONE);
      List<SalvageReport.KeyRange> ranges = report.indexes().getFirst().keyRanges();
      try (IndexStore saved = IndexStore.open(target(), options())) {
        BytesIndex index = saved.bytesIndex("a");
        int lost = 0;
        for (byte[] key : keys) {
          boolean isSaved = Arrays.equals(key, index.get(key));
          assertTrue(isSaved || has(ranges, key), () -> new String(key, UTF_8) + ", " + report);
          lost += isSaved ? 0 : 1;
        }
        assertTrue(lost > 0);
        assertEquals(keys.size() - lost, index.size());
      }
      Files.delete(target());
    }
  }
}
