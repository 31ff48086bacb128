// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.espalier.LongIndex;
import dev.espalier.cola.Cola;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The format of stores, which docs/file-format.md describes, stays what it is: a store that an
 * earlier state of the library wrote is read and recovered, and the same files are written.
 *
 * <p>The files are kept as text, 32 bytes in a line after their offset, without lines of zeros.
 */
@Tag("fallback-too")
class FileFormatTest {
  private static final int PAGE_BYTES = 1024;
  private static final int LINE_BYTES = 32;

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

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private static String golden() throws IOException {
    try (InputStream text =
        Objects.requireNonNull(FileFormatTest.class.getResourceAsStream("golden-store.txt"))) {
      return new String(text.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

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
      store.commit("note".getBytes(StandardCharsets.US_ASCII));
      writeDeltas(environment);
      return toText();
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
    assertEquals(golden(), write());
  }

  @Test
  void readsAndRecoversTheFiles() throws IOException {
    toFiles(golden());
    try (IndexStore store = IndexStore.open(folder.resolve("written.esp"), OPTIONS)) {
      assertFalse(store.recovery().wasClean());
      assertEquals(4, store.recovery().records());
      PagedTrees.assertHolds(entries(), store.index("tree"));
      PagedTrees.assertHolds(messages(), store.index("cola"));
      assertEquals("note", new String(store.note(), StandardCharsets.US_ASCII));
      assertEquals("int64:int64", store.state().indexes.get("tree").codecs);
    }
  }

  @Test
  void readsDeltas() throws IOException {
    toFiles(golden());
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

  private String toText() throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        text.append("file ").append(file.getFileName()).append('\n');
        append(Files.readAllBytes(file), text);
      }
    }
    return text.toString();
  }

  private static void append(byte[] bytes, StringBuilder text) {
    for (int at = 0; at < bytes.length; at += LINE_BYTES) {
      byte[] line = Arrays.copyOfRange(bytes, at, at + LINE_BYTES);
      if (!Arrays.equals(line, new byte[LINE_BYTES])) {
        text.append("%06x %s\n".formatted(at, HexFormat.of().formatHex(line)));
      }
    }
    text.append("%06x end\n".formatted(bytes.length));
  }

  private void toFiles(String text) throws IOException {
    Path file = folder;
    TreeMap<Integer, byte[]> lines = new TreeMap<>();
    for (String line : text.split("\n")) {
      String[] parts = line.split(" ");
      if (parts[0].equals("file")) {
        file = folder.resolve(parts[1]);
        lines.clear();
      } else if (parts[1].equals("end")) {
        byte[] bytes = new byte[HexFormat.fromHexDigits(parts[0])];
        lines.forEach((at, part) -> System.arraycopy(part, 0, bytes, at, part.length));
        Files.write(file, bytes);
      } else {
        lines.put(HexFormat.fromHexDigits(parts[0]), HexFormat.of().parseHex(parts[1]));
      }
    }
  }
}
