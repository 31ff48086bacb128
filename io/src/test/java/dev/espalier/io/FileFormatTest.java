// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The format of files, which docs/file-format.md describes, stays what it is: a file that an
 * earlier state of the library wrote is read, and the same file is written.
 *
 * <p>The file is kept as text, 32 bytes in a line after their offset, without lines of zeros.
 */
@Tag("fallback-too")
class FileFormatTest {
  private static final int PAGE_BYTES = 256;
  private static final int LINE_BYTES = 32;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private static String golden() throws IOException {
    try (InputStream text =
        Objects.requireNonNull(FileFormatTest.class.getResourceAsStream("golden-index.txt"))) {
      return new String(text.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  /** Three leaf pages below a root, of which the one in the middle was emptied and is free. */
  private static TreeMap<Long, Long> entries() {
    TreeMap<Long, Long> entries = new TreeMap<>();
    for (long key = 1; key <= 30; key++) {
      if (key < 12 || key > 25) {
        entries.put(key, 1000 + key);
      }
    }
    return entries;
  }

  private Path write() {
    Path path = folder.resolve("written.esp");
    PageFile file = PageFiles.CHANNEL.open(path, Access.CREATE, PAGE_BYTES);
    FileHeader header =
        new FileHeader(
            0,
            0x0123456789abcdefL,
            PAGE_BYTES,
            true,
            0,
            0,
            1,
            Collections.nCopies(PageStore.META_WORDS, 0L),
            "DiskOptimizedBPlusTree",
            FileHeader.LONG_CODECS);
    file.grow(FileHeader.BLOCKS * PAGE_BYTES);
    header.writeTo(file);
    BufferPool pool = BufferPool.create(20 * PAGE_BYTES, PAGE_BYTES);
    FilePageStore store =
        new FilePageStore(file, pool, header, new int[0], false, true, pool::close);
    pool.enter(store);
    try (LongIndex index = DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store)) {
      for (long key = 1; key <= 30; key++) {
        index.put(key, 1000 + key);
      }
      index.removeRange(12, true, 25, true);
    }
    return path;
  }

  @Test
  void writesTheSameFile() throws IOException {
    assertEquals(golden(), toText(Files.readAllBytes(write())));
  }

  @Test
  void readsTheFile() throws IOException {
    Path path = folder.resolve("golden.esp");
    Files.write(path, toBytes(golden()));
    try (LongIndex index =
        Espalier.open(path, FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY))) {
      PagedTrees.assertHolds(entries(), index);
    }
    FileDescription description = Espalier.describe(path, FileOptions.DEFAULT);
    assertEquals("DiskOptimizedBPlusTree", description.kind());
    assertEquals("int64:int64", description.codecs());
    assertEquals(1, description.freePages());
    assertEquals(entries().size(), description.entries());
  }

  private static String toText(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (int at = 0; at < bytes.length; at += LINE_BYTES) {
      byte[] line = Arrays.copyOfRange(bytes, at, at + LINE_BYTES);
      if (!Arrays.equals(line, new byte[LINE_BYTES])) {
        text.append("%04x %s%n".formatted(at, HexFormat.of().formatHex(line)));
      }
    }
    return text.append("%04x end%n".formatted(bytes.length)).toString();
  }

  private static byte[] toBytes(String text) {
    String[] lines = text.split("\n");
    byte[] bytes = new byte[HexFormat.fromHexDigits(lines[lines.length - 1].split(" ")[0])];
    for (int i = 0; i + 1 < lines.length; i++) {
      String[] parts = lines[i].split(" ");
      byte[] line = HexFormat.of().parseHex(parts[1]);
      System.arraycopy(line, 0, bytes, HexFormat.fromHexDigits(parts[0]), line.length);
    }
    return bytes;
  }
}
