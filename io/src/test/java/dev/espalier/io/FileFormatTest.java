// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.cola.Cola;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The format of stores, which docs/file-format.md describes, stays what it is: a store that an
 * earlier state of the library wrote is read and recovered, and the same files are written.
 */
@Tag("fallback-too")
class FileFormatTest {
  private static final int PAGE_BYTES = 1024;
  private static final String GOLDEN = "golden-store.txt";
  private static final String GOLDEN_STRINGS = "golden-strings.txt";

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(40 * PAGE_BYTES))
          .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);

  /** Of a store whose map has several chunks, and deltas. */
  private static final StoreOptions WITH_DELTAS =
      OPTIONS.withFiles(
          FileOptions.DEFAULT
              .withPageBytes(256)
              .withPoolBytes(80 * 256)
              .withVariant(DiskOptimizedBPlusTree.VARIANT));

  /** As many as have the fewest pages that need two chunks. */
  private static final long WITH_DELTAS_ENTRIES = 360;

  /** As many as have a root and several leaves, long keys and long values among them. */
  private static final long STRINGS = 40;

  /** A key, and a value, that take several pages. */
  private static final byte[] LONGER_THAN_PAGES = new byte[3 * PAGE_BYTES];

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** The entries of the B+-tree: some leaf pages, of which one was emptied and is free. */
  private static TreeMap<Long, Long> entries() {
    TreeMap<Long, Long> entries = new TreeMap<>();
    for (long key = 1; key <= 150; key++) {
      if (key < 12 || key > 125) {
        entries.put(key, 1000 + key);
      }
    }
    return entries;
  }

  private static TreeMap<Long, Long> messages() {
    TreeMap<Long, Long> messages = new TreeMap<>();
    for (long key = 0; key < 90; key++) {
      messages.put(-key, key);
    }
    messages.remove(-7L);
    return messages;
  }

  /** Writes a checkpoint and a log that follows it, and returns the files as text. */
  private String write() throws IOException {
    Path path = folder.resolve("written.esp");
    StoreEnvironment environment = Stores.environment(PageFiles.CHANNEL);
    try (IndexStore store = new StoreOpening(path, OPTIONS, environment).open()) {
      LongIndex tree = store.index("tree", DiskOptimizedBPlusTree.VARIANT);
      LongIndex cola = store.index("cola", Cola.VARIANT);
      entries().forEach(tree::set);
      for (long key = 12; key <= 125; key++) {
        tree.set(key, 0);
      }
      messages().forEach(cola::set);
      store.checkpoint();
      tree.removeRange(12, true, 125, true);
      store.write(new WriteBatch().set(tree, 150, 1150).set(cola, -7, 7));
      cola.delete(-7);
      store.index("later", DiskOptimizedBPlusTree.VARIANT).set(1, 2);
      store.commit("note".getBytes(StandardCharsets.US_ASCII));
      writeDeltas(environment);
      return GoldenFiles.toText(folder);
    }
  }

  /** Writes a checkpoint of byte strings and a log that follows it. */
  private String writeStrings() throws IOException {
    Path path = folder.resolve("strings.esp");
    StoreEnvironment environment = Stores.environment(PageFiles.CHANNEL);
    try (IndexStore store = new StoreOpening(path, OPTIONS, environment).open()) {
      BytesIndex strings = store.bytesIndex("strings");
      StoredStrings entries = new StoredStrings(strings);
      for (long key = 1; key <= STRINGS; key++) {
        entries.set(key, key);
      }
      store.checkpoint();
      entries.delete(3);
      entries.removeRange(5, 9);
      entries.set(STRINGS + 1, 5);
      store.write(new WriteBatch().set(strings, LONGER_THAN_PAGES, LONGER_THAN_PAGES));
      store.commit();
      return GoldenFiles.toText(folder);
    }
  }

  private void writeDeltas(StoreEnvironment environment) {
    Path path = folder.resolve("deltas.esp");
    try (IndexStore store = new StoreOpening(path, WITH_DELTAS, environment).open()) {
      LongIndex tree = store.index("tree");
      for (long key = 1; key <= WITH_DELTAS_ENTRIES; key++) {
        tree.set(key, key);
      }
      store.checkpoint();
      tree.set(1, 101);
      tree.set(WITH_DELTAS_ENTRIES, 102);
    }
  }

  @Test
  void writesTheSameFiles() throws IOException {
    assertEquals(GoldenFiles.text(GOLDEN), write());
  }

  @ParameterizedTest
  @CsvSource({GOLDEN + ", 6", "golden-store-3.txt, 4", "golden-store-2.txt, 4"})
  void readsAndRecoversTheFiles(String golden, int records) throws IOException {
    GoldenFiles.toFiles(GoldenFiles.text(golden), folder);
    try (IndexStore store = IndexStore.open(folder.resolve("written.esp"), OPTIONS)) {
      assertFalse(store.recovery().wasClean());
      assertEquals(records, store.recovery().records());
      assertEquals(records > 4, store.names().contains("later"));
      PagedTrees.assertHolds(records > 4 ? Map.of(1L, 2L) : Map.of(), store.index("later"));
      PagedTrees.assertHolds(entries(), store.index("tree"));
      PagedTrees.assertHolds(messages(), store.index("cola"));
      assertEquals("note", new String(store.note(), StandardCharsets.US_ASCII));
      assertEquals("int64:int64", store.state().indexes.get("tree").codecs);
    }
  }

  @Test
  void writesTheSameFilesOfByteStrings() throws IOException {
    assertEquals(GoldenFiles.text(GOLDEN_STRINGS), writeStrings());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GOLDEN_STRINGS,
        "golden-strings-whole-pages.txt",
        "golden-strings-one-thread.txt",
        "golden-strings-3.txt",
        "golden-strings-2.txt"
      })
  void readsAndRecoversByteStrings(String golden) throws IOException {
    GoldenFiles.toFiles(GoldenFiles.text(golden), folder);
    TreeMap<Long, Long> expected = new TreeMap<>();
    for (long key = 1; key <= STRINGS; key++) {
      expected.put(key, key);
    }
    expected.keySet().removeAll(List.of(3L, 5L, 6L, 7L, 8L, 9L));
    expected.put(STRINGS + 1, 5L);
    try (IndexStore store = IndexStore.open(folder.resolve("strings.esp"), OPTIONS)) {
      assertFalse(store.recovery().wasClean());
      assertEquals(4, store.recovery().records());
      BytesIndex strings = store.bytesIndex("strings");
      strings.verify();
      byte[] longer = Arrays.copyOf(LONGER_THAN_PAGES, LONGER_THAN_PAGES.length + 100);
      assertArrayEquals(LONGER_THAN_PAGES, strings.put(LONGER_THAN_PAGES, longer));
      strings.verify();
      assertArrayEquals(longer, strings.remove(LONGER_THAN_PAGES));
      assertEquals(expected, new StoredStrings(strings).entries());
    }
  }

  @Test
  void readsDeltas() throws IOException {
    GoldenFiles.toFiles(GoldenFiles.text(GOLDEN), folder);
    try (IndexStore store = IndexStore.open(folder.resolve("deltas.esp"), WITH_DELTAS)) {
      assertEquals(1, store.state().indexes.get("tree").map.deltas.count());
      TreeMap<Long, Long> expected = new TreeMap<>();
      for (long key = 2; key < WITH_DELTAS_ENTRIES; key++) {
        expected.put(key, key);
      }
      expected.put(1L, 101L);
      expected.put(WITH_DELTAS_ENTRIES, 102L);
      PagedTrees.assertHolds(expected, store.index("tree"));
    }
  }
}
