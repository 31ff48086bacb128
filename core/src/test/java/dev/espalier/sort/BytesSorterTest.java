// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BytesSorterTest {
  /**
   * An entry of {@link #addFiller} takes about this of the least memory, of which 3/4 hold entries.
   */
  private static final int FILLER = 1000;

  /** Of these, more entries than the least memory holds. */
  private static final int TOO_MANY = (int) SortOptions.MIN_MEMORY_BYTES / FILLER;

  @TempDir private Path folder;

  private SortOptions options;

  /** How many temporary files were made. */
  private int files;

  @BeforeEach
  void useLittleMemory() {
    options = SortOptions.DEFAULT.withMemoryBytes(SortOptions.MIN_MEMORY_BYTES).withFolder(folder);
  }

  private BytesSorter sorter(Duplicates duplicates) {
    return BytesSorter.create(
        options.withDuplicates(duplicates),
        where -> {
          files++;
          return TemporaryFile.open(where);
        });
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String number(int number) {
    return "%08d".formatted(number);
  }

  private static void addFiller(BytesSorter sorter, int number) {
    sorter.add(bytes(number(number)), new byte[FILLER]);
  }

  private static byte[] value(BytesEntrySource source) {
    byte[] value = new byte[(int) source.valueBytes()];
    source.value(
        (piece, from, bytes, position, total) -> {
          assertEquals(value.length, total);
          MemorySegment.copy(
              piece, ValueLayout.JAVA_BYTE, from, value, (int) position, (int) bytes);
        });
    return value;
  }

  /** Checks that a source has the entries of a map, and no others. */
  private static void assertHas(TreeMap<byte[], byte[]> expected, BytesEntrySource source) {
    Iterator<Map.Entry<byte[], byte[]>> entries = expected.entrySet().iterator();
    while (source.next()) {
      Map.Entry<byte[], byte[]> entry = entries.next();
      assertArrayEquals(entry.getKey(), source.key().toArray(ValueLayout.JAVA_BYTE));
      assertArrayEquals(entry.getValue(), value(source));
    }
    assertFalse(entries.hasNext());
    assertFalse(source.next());
  }

  private List<Path> filesInFolder() throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.toList();
    }
  }

  // ---------------------------------------------------------------- order

  /** Keys of few letters, so that some are prefixes of others, and of any length. */
  private static byte[] randomKey(Random random) {
    byte[] key = new byte[random.nextInt(10) == 0 ? random.nextInt(300) : random.nextInt(12)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) * 85);
    }
    return key;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 1000, 16_384, 16_385, 40_000, 200_000})
  void entriesComeInTheOrderOfTheirBytes(int count) {
    Random random = new Random(count);
    TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    try (BytesSorter sorter = sorter(Duplicates.KEEP_LAST)) {
      for (int i = 0; i < count; i++) {
        byte[] key = randomKey(random);
        byte[] value = new byte[random.nextInt(50)];
        random.nextBytes(value);
        expected.put(key, value);
        sorter.add(key, value);
      }
      assertHas(expected, sorter.sorted(ProgressListener.NONE));
      assertEquals(count, sorter.added());
      assertEquals(count - expected.size(), sorter.dropped());
    }
    assertEquals(count > 1_000 ? 1 : 0, files);
  }

  @Test
  @Tag("thorough")
  void moreRunsThanCanBeMergedAtOnceAreMergedInPasses() {
    // 15 runs at once. Each has at most 786 entries of 1,016 bytes: 240 runs need two passes.
    int count = 240 * 786;
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      for (int i = 0; i < count; i++) {
        addFiller(sorter, (int) (i * 7919L % count));
      }
      BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      for (int i = 0; i < count; i++) {
        assertTrue(sorted.next());
        assertEquals(
            number(i),
            new String(sorted.key().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
      }
      assertFalse(sorted.next());
    }
    assertEquals(3, files);
  }

  /** Longer than the piece, than the buffers of readers, and than all of the memory. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100, TOO_MANY * 20})
  void entriesOfAnyLengthAreSorted(int others) {
    Random random = new Random(others);
    TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    List<Integer> lengths = List.of(65_000, 130_000, 131_073, 900_000, 3_000_000, 70_000, 2, 0);
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      for (int i = 0; i < others; i++) {
        addFiller(sorter, i);
        expected.put(bytes(number(i)), new byte[FILLER]);
      }
      for (int length : lengths) {
        byte[] key = new byte[Math.min(length, BytesIndex.MAX_KEY)];
        byte[] value = new byte[length];
        random.nextBytes(key);
        random.nextBytes(value);
        sorter.add(key, value);
        expected.put(key, value);
      }
      assertHas(expected, sorter.sorted(ProgressListener.NONE));
    }
  }

  @Test
  void indexTakesTheSortedEntriesAndIsASourceItself() {
    byte[] long1 = new byte[100_000];
    Arrays.fill(long1, (byte) 7);
    try (BytesSorter sorter = sorter(Duplicates.REFUSE);
        BytesSorter again = sorter(Duplicates.REFUSE);
        BytesIndex index = PrefixBPlusTree.create();
        BytesIndex copy = PrefixBPlusTree.create()) {
      for (int i = 2 * TOO_MANY; i > 0; i--) {
        addFiller(sorter, i);
      }
      sorter.add(bytes("long"), long1);
      index.bulkload(
          sorter.sorted(ProgressListener.NONE), 1.0, sorter.added(), ProgressListener.NONE);
      assertEquals(2 * TOO_MANY + 1, index.size());
      index.verify();
      again.addAll(index.cursor());
      copy.bulkload(again.sorted(ProgressListener.NONE), 1.0, -1, ProgressListener.NONE);
      assertEquals(2 * TOO_MANY + 1, copy.size());
      assertArrayEquals(long1, copy.get(bytes("long")));
      assertArrayEquals(new byte[FILLER], copy.get(bytes(number(TOO_MANY))));
    }
  }

  @Test
  void segmentsOutsideOfTheHeapAreCopied() {
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      try (Arena arena = Arena.ofConfined()) {
        sorter.add(arena.allocateFrom("b"), arena.allocateFrom("2"));
      }
      sorter.add(bytes("a"), bytes("1"));
      BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      assertTrue(sorted.next());
      assertTrue(sorted.next());
      assertArrayEquals(new byte[] {'2', 0}, value(sorted));
      assertTrue(sorted.key().isReadOnly());
    }
  }

  // ---------------------------------------------------------------- duplicates

  /** Each key 20 times, spread over one piece, several, or many runs. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REFUSE")
  void oneEntryOfEachKeyStays(Duplicates duplicates) {
    for (int keys : new int[] {1, 100, 2_000, TestSize.of(6_000, 20_000)}) {
      try (BytesSorter sorter = sorter(duplicates)) {
        for (int round = 0; round < 20; round++) {
          for (int i = 0; i < keys; i++) {
            byte[] value = new byte[40];
            value[0] = (byte) round;
            sorter.add(bytes(number((int) (i * 7919L % keys))), value);
          }
        }
        BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
        int kept = duplicates == Duplicates.KEEP_FIRST ? 0 : 19;
        for (int i = 0; i < keys; i++) {
          assertTrue(sorted.next());
          assertEquals(kept, value(sorted)[0]);
        }
        assertFalse(sorted.next());
        assertEquals(20L * keys, sorter.added());
        assertEquals(19L * keys, sorter.dropped());
      }
    }
    assertTrue(files > 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5 * TOO_MANY})
  void refusedDuplicateIsNamedWhereItIsMet(int others) {
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      sorter.add(new byte[] {0, 1}, bytes("first"));
      for (int i = 0; i < others; i++) {
        addFiller(sorter, i);
      }
      sorter.add(new byte[] {0, 1}, bytes("second"));
      sorter.add(new byte[0], bytes(""));
      BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      assertTrue(sorted.next());
      assertTrue(sorted.next());
      var e = assertThrows(IllegalArgumentException.class, sorted::next);
      assertEquals("key 0x0001 occurs more than once", e.getMessage());
    }
  }

  // ---------------------------------------------------------------- progress

  @Test
  void listenerIsToldUpToTheTotal() {
    int count = 40 * TOO_MANY;
    List<Long> told = new ArrayList<>();
    List<Long> totals = new ArrayList<>();
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      for (int i = count; i > 0; i--) {
        addFiller(sorter, i);
      }
      sorter.sorted(
          (done, total) -> {
            totals.add(total);
            told.add(done);
            return true;
          });
    }
    assertEquals(1, totals.stream().distinct().count());
    assertTrue(totals.getFirst() > count);
    assertEquals(totals.getFirst(), told.getLast());
    assertEquals(told.stream().sorted().toList(), told);
    assertTrue(told.size() > count / SortProgress.REPORT_EVERY, told.size() + " reports");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10})
  void listenerCancelsAndNothingIsLeft(int calls) throws IOException {
    BytesSorter sorter = sorter(Duplicates.REFUSE);
    for (int i = 40 * TOO_MANY; i > 0; i--) {
      addFiller(sorter, i);
    }
    int[] left = {calls};
    assertThrows(CancellationException.class, () -> sorter.sorted((_, _) -> --left[0] > 0));
    assertEquals(0, left[0]);
    assertThrows(IllegalStateException.class, () -> addFiller(sorter, 1));
    assertEquals(List.of(), filesInFolder());
  }

  // ---------------------------------------------------------------- files

  @Test
  void temporaryFileIsMadeWhenMemoryIsFullAndGoneAfterClose() throws IOException {
    BytesSorter sorter = sorter(Duplicates.REFUSE);
    for (int i = 0; i < TOO_MANY / 2; i++) {
      addFiller(sorter, i);
    }
    assertEquals(0, files);
    for (int i = 0; i < TOO_MANY; i++) {
      addFiller(sorter, TOO_MANY + i);
    }
    assertEquals(1, files);
    sorter.close();
    sorter.close();
    assertEquals(List.of(), filesInFolder());
  }

  @Test
  void fullDiskIsExplained() {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "no /dev/full here");
    BytesSorter sorter =
        BytesSorter.create(options, _ -> new RandomAccessFile(full.toFile(), "rw"));
    var e =
        assertThrows(
            UncheckedIOException.class,
            () -> {
              for (int i = 0; i < 2 * TOO_MANY; i++) {
                addFiller(sorter, i);
              }
            });
    assertTrue(
        e.getMessage().contains("can't write the temporary file of a sort in " + folder),
        e.getMessage());
    assertThrows(IllegalStateException.class, () -> addFiller(sorter, 1));
  }

  // ---------------------------------------------------------------- wrong use

  @Test
  void entriesThatAreTooLongAreRefusedAndTheSorterGoesOn() throws IOException {
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      byte[] key = new byte[BytesIndex.MAX_KEY + 1];
      var e = assertThrows(IllegalArgumentException.class, () -> sorter.add(key, new byte[0]));
      assertEquals("key has 65536 bytes; at most 65535 are possible", e.getMessage());
      try (RandomAccessFile file = TemporaryFile.open(folder);
          Arena arena = Arena.ofConfined()) {
        MemorySegment value =
            file.getChannel()
                .map(FileChannel.MapMode.READ_WRITE, 0, BytesIndex.MAX_VALUE + 1L, arena);
        e =
            assertThrows(
                IllegalArgumentException.class,
                () -> sorter.add(MemorySegment.ofArray(new byte[0]), value));
      }
      assertEquals("value has 1073741825 bytes; at most 1073741824 are possible", e.getMessage());
      sorter.add(bytes("a"), bytes("1"));
      assertTrue(sorter.sorted(ProgressListener.NONE).next());
      assertEquals(1, sorter.added());
    }
  }

  @Test
  void entriesAreNeitherAddedNorSortedASecondTime() {
    try (BytesSorter sorter = sorter(Duplicates.REFUSE)) {
      addFiller(sorter, 1);
      sorter.sorted(ProgressListener.NONE);
      assertThrows(IllegalStateException.class, () -> addFiller(sorter, 2));
      assertThrows(IllegalStateException.class, () -> sorter.sorted(ProgressListener.NONE));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 3 * TOO_MANY})
  void sourceThatHasNoEntrySaysSo(int count) {
    BytesSorter sorter = sorter(Duplicates.REFUSE);
    for (int i = 0; i < count; i++) {
      addFiller(sorter, i);
    }
    BytesEntrySource sorted = sorter.sorted(ProgressListener.NONE);
    while (sorted.next()) {
      assertEquals(FILLER, sorted.valueBytes());
    }
    assertThrows(IllegalStateException.class, sorted::key);
    sorter.close();
    assertEquals(
        "the sorter is closed",
        assertThrows(IllegalStateException.class, sorted::next).getMessage());
    assertThrows(IllegalStateException.class, sorted::valueBytes);
  }
}
