// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.family.Indexes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

final class EntrySorterTest {
  /** Entries that fit into the least memory: 16 bytes each in half of it. */
  private static final int FIT = (int) SortOptions.MIN_MEMORY_BYTES / 32;

  @TempDir private Path folder;

  private SortOptions options;

  /** How many temporary files were made. */
  private int files;

  @BeforeEach
  void useLittleMemory() {
    options = SortOptions.DEFAULT.withMemoryBytes(SortOptions.MIN_MEMORY_BYTES).withFolder(folder);
  }

  private EntrySorter sorter(Duplicates duplicates) {
    return EntrySorter.create(
        options.withDuplicates(duplicates),
        where -> {
          files++;
          return TemporaryFile.open(where);
        });
  }

  private List<Path> filesInFolder() throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.toList();
    }
  }

  private static List<Map.Entry<Long, Long>> read(LongEntrySource source) {
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    while (source.next()) {
      entries.add(Map.entry(source.key(), source.value()));
    }
    assertFalse(source.next());
    return entries;
  }

  // ---------------------------------------------------------------- order

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4096, 4097, FIT, FIT + 1, 3 * FIT, 3 * FIT + 1})
  void entriesComeInAscendingOrderOfKeys(int count) {
    Random random = new Random(count);
    TreeMap<Long, Long> expected = new TreeMap<>();
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      while (expected.size() < count) {
        long key = random.nextLong();
        long value = random.nextLong();
        if (expected.putIfAbsent(key, value) == null) {
          sorter.add(key, value);
        }
      }
      assertEquals(List.copyOf(expected.entrySet()), read(sorter.sorted(ProgressListener.NONE)));
      assertEquals(count, sorter.added());
      assertEquals(0, sorter.dropped());
    }
    assertEquals(count > FIT ? 1 : 0, files);
  }

  @Test
  void extremeKeysAreInSignedOrder() {
    long[] keys = {0, Long.MAX_VALUE, -1, Long.MIN_VALUE, 1, 255, 256, -256, -257};
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      sorter.addAll(LongEntrySource.of(keys, keys, keys.length));
      assertEquals(
          List.of(Long.MIN_VALUE, -257L, -256L, -1L, 0L, 1L, 255L, 256L, Long.MAX_VALUE),
          read(sorter.sorted(ProgressListener.NONE)).stream().map(Map.Entry::getKey).toList());
    }
  }

  @Test
  @Tag("thorough")
  void moreRunsThanCanBeMergedAtOnceAreMergedInPasses() {
    // 16 shares of memory: 15 runs at once. 2 passes are needed before the last merge of 2 runs.
    int count = 230 * FIT;
    long keys = 0;
    long values = 0;
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      for (long i = 0; i < count; i++) {
        sorter.add(i * 0x9E3779B97F4A7C15L, i);
      }
      LongEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      long before = Long.MIN_VALUE;
      long read = 0;
      while (sorted.next()) {
        assertTrue(read == 0 || before < sorted.key());
        before = sorted.key();
        assertEquals(sorted.key(), sorted.value() * 0x9E3779B97F4A7C15L);
        keys += sorted.key();
        values += sorted.value();
        read++;
      }
      assertEquals(count, read);
    }
    long sum = (long) count * (count - 1) / 2;
    assertEquals(sum * 0x9E3779B97F4A7C15L, keys);
    assertEquals(sum, values);
    assertEquals(3, files);
  }

  @Test
  void bulkloadTakesTheSortedEntries() {
    try (EntrySorter sorter = sorter(Duplicates.REFUSE);
        LongIndex index = Indexes.create()) {
      for (long key = 2 * FIT; key > 0; key--) {
        sorter.add(key, -key);
      }
      LongEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      index.bulkload(sorted, 1.0, sorter.added(), ProgressListener.NONE);
      assertEquals(2 * FIT, index.size());
      assertEquals(-FIT, index.get(FIT));
      index.verify();
    }
  }

  // ---------------------------------------------------------------- duplicates

  /** Each key 20 times, spread over many runs: with 50 runs there is a merge before the last. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REFUSE")
  void oneEntryOfEachKeyStays(Duplicates duplicates) {
    for (int keys : new int[] {100, 50 * FIT / 20}) {
      try (EntrySorter sorter = sorter(duplicates)) {
        for (int round = 0; round < 20; round++) {
          for (int key = 0; key < keys; key++) {
            sorter.add((key * 7919L) % keys, round);
          }
        }
        List<Map.Entry<Long, Long>> entries = read(sorter.sorted(ProgressListener.NONE));
        assertEquals(keys, entries.size());
        long kept = duplicates == Duplicates.KEEP_FIRST ? 0 : 19;
        for (int key = 0; key < keys; key++) {
          assertEquals(Map.entry((long) key, kept), entries.get(key));
        }
        assertEquals(20L * keys, sorter.added());
        assertEquals(19L * keys, sorter.dropped());
      }
    }
    assertEquals(2, files);
  }

  @Test
  void refusedDuplicateIsNamed() throws IOException {
    EntrySorter sorter = sorter(Duplicates.REFUSE);
    sorter.add(5, 1);
    sorter.add(3, 2);
    sorter.add(5, 3);
    var e =
        assertThrows(IllegalArgumentException.class, () -> sorter.sorted(ProgressListener.NONE));
    assertEquals("key 5 occurs more than once, with the values 1 and 3", e.getMessage());
    assertEquals(
        "the sorter is closed",
        assertThrows(IllegalStateException.class, () -> sorter.add(1, 1)).getMessage());
    assertEquals(List.of(), filesInFolder());
  }

  @Test
  void refusedDuplicateInAnotherRunIsNamedWhereItIsMet() {
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      for (long key = 0; key < FIT; key++) {
        sorter.add(key, 1);
      }
      sorter.add(2, 4);
      LongEntrySource sorted = sorter.sorted(ProgressListener.NONE);
      assertTrue(sorted.next());
      assertTrue(sorted.next());
      assertEquals(1, sorted.key());
      var e = assertThrows(IllegalArgumentException.class, sorted::next);
      assertEquals("key 2 occurs more than once, with the values 1 and 4", e.getMessage());
    }
  }

  // ---------------------------------------------------------------- progress

  @Test
  void listenerIsToldOfEveryFewThousandEntriesUpToTheTotal() {
    int count = 40 * FIT;
    List<Long> told = new ArrayList<>();
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      for (long i = count; i > 0; i--) {
        sorter.add(i, i);
      }
      sorter.sorted(
          (done, total) -> {
            assertEquals(FIT + count, total);
            told.add(done);
            return true;
          });
    }
    assertEquals(FIT + count, told.getLast());
    assertEquals(told.stream().sorted().toList(), told);
    assertTrue(told.size() > count / SortProgress.REPORT_EVERY, told.size() + " reports");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9, 100, 300})
  void listenerCancelsAndNothingIsLeft(int calls) throws IOException {
    EntrySorter sorter = sorter(Duplicates.REFUSE);
    for (long i = 40 * FIT; i > 0; i--) {
      sorter.add(i, i);
    }
    int[] left = {calls};
    assertThrows(CancellationException.class, () -> sorter.sorted((_, _) -> --left[0] > 0));
    assertEquals(0, left[0]);
    assertThrows(IllegalStateException.class, () -> sorter.add(1, 1));
    assertEquals(List.of(), filesInFolder());
  }

  // ---------------------------------------------------------------- files

  @Test
  void fileIsMadeOnlyOnceMemoryIsFull() {
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      for (long key = 0; key < FIT; key++) {
        sorter.add(key, key);
      }
      assertEquals(0, files);
      sorter.add(FIT, FIT);
      assertEquals(1, files);
    }
  }

  @Test
  void temporaryFileIsGoneAfterClose() throws IOException {
    EntrySorter sorter = sorter(Duplicates.REFUSE);
    for (long key = 0; key <= FIT; key++) {
      sorter.add(key, key);
    }
    sorter.close();
    sorter.close();
    assertEquals(List.of(), filesInFolder());
  }

  @Test
  void fullDiskIsExplained() {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "no /dev/full here");
    EntrySorter sorter =
        EntrySorter.create(options, _ -> new RandomAccessFile(full.toFile(), "rw"));
    for (long key = 0; key < FIT; key++) {
      sorter.add(key, key);
    }
    var e = assertThrows(UncheckedIOException.class, () -> sorter.add(FIT, 0));
    assertTrue(
        e.getMessage().contains("can't write the temporary file of a sort in " + folder),
        e.getMessage());
    assertTrue(e.getMessage().endsWith("No space left on device"), e.getMessage());
    assertThrows(IllegalStateException.class, () -> sorter.add(1, 1));
  }

  @Test
  void folderThatIsNotThereIsNamed() {
    Path missing = folder.resolve("missing");
    EntrySorter sorter = EntrySorter.create(options.withFolder(missing));
    for (long key = 0; key < FIT; key++) {
      sorter.add(key, key);
    }
    var e = assertThrows(UncheckedIOException.class, () -> sorter.add(FIT, 0));
    assertTrue(
        e.getMessage().contains("can't make a temporary file in " + missing), e.getMessage());
  }

  // ---------------------------------------------------------------- wrong use

  @Test
  void entriesAreNeitherAddedNorSortedASecondTime() {
    try (EntrySorter sorter = sorter(Duplicates.REFUSE)) {
      sorter.add(1, 1);
      sorter.sorted(ProgressListener.NONE);
      assertThrows(IllegalStateException.class, () -> sorter.add(2, 2));
      assertThrows(IllegalStateException.class, () -> sorter.sorted(ProgressListener.NONE));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, FIT + 10})
  void sourceOfAClosedSorterSaysSo(int count) {
    EntrySorter sorter = sorter(Duplicates.REFUSE);
    for (long key = 0; key < count; key++) {
      sorter.add(key, key);
    }
    LongEntrySource sorted = sorter.sorted(ProgressListener.NONE);
    assertTrue(sorted.next());
    sorter.close();
    assertEquals(
        "the sorter is closed",
        assertThrows(IllegalStateException.class, sorted::next).getMessage());
  }

  @Test
  void tooLittleMemoryIsRefused() {
    long bytes = SortOptions.MIN_MEMORY_BYTES - 1;
    var e = assertThrows(IllegalArgumentException.class, () -> options.withMemoryBytes(bytes));
    assertEquals("memoryBytes is 1048575; at least 1048576 are needed", e.getMessage());
  }
}
