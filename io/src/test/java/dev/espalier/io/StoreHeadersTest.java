// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.MemoryPageStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreHeadersTest {
  private static final int LEAST_PAGE = MemoryPageStore.MIN_PAGE_BYTES;
  private static final int LEAST_SEGMENT = StoreOptions.LEAST_SEGMENT_BYTES;
  private static final StoreFiles FILES = new SystemFiles(PageFiles.CHANNEL, PageFiles.CHANNEL);

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private static StoreHeader header(
      long checkpoint, int pageBytes, int segmentBytes, int slots, int stripes) {
    return new StoreHeader(
        1, checkpoint, 3, 4, 5, 48, 7, 8, pageBytes, segmentBytes, slots, stripes, false);
  }

  private static StoreHeader header(long checkpoint, int pageBytes) {
    return header(checkpoint, pageBytes, LEAST_SEGMENT, 0, 1);
  }

  private Path path() {
    return folder.resolve("store");
  }

  private void write(StoreHeader header) {
    Access access = path().toFile().exists() ? Access.WRITE : Access.CREATE;
    try (PageFile file = PageFiles.CHANNEL.open(path(), access, StoreHeader.BLOCK_BYTES)) {
      if (access == Access.CREATE) {
        file.grow(StoreHeader.areaBytes(header.pageBytes()));
      }
      header.writeTo(file, 1);
    }
  }

  private void damage(int copy, int pageBytes) throws IOException {
    overwrite(StoreHeader.position(copy, pageBytes) + 20, (byte) 0xee);
  }

  private void overwrite(long at, byte... bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      file.seek(at);
      file.write(bytes);
    }
  }

  private void cut(long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  private StoreHeader newest(int pageBytes) {
    try (PageFile file = PageFiles.CHANNEL.open(path(), Access.READ, StoreHeader.BLOCK_BYTES)) {
      return StoreHeaders.newest(file, pageBytes);
    }
  }

  private void assertRefused(String why, int pageBytes) {
    Exception refused = assertThrows(PageFileException.class, () -> newest(pageBytes));
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  private void assertAnyRefused(String why) {
    Exception refused =
        assertThrows(PageFileException.class, () -> StoreHeaders.any(FILES, path()));
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  @Test
  void theNewestCheckpointCountsWhateverItsPlace() {
    for (long checkpoint = 1; checkpoint < 6; checkpoint++) {
      write(header(checkpoint, 1024));
      assertEquals(checkpoint, newest(1024).checkpoint());
    }
  }

  @Test
  void oneCopyIsEnoughAndThenTheCheckpointBefore() throws IOException {
    write(header(6, 1024));
    write(header(7, 1024));
    damage(1, 1024);
    assertEquals(7, newest(1024).checkpoint());
    damage(3, 1024);
    assertEquals(6, newest(1024).checkpoint());
    damage(0, 1024);
    assertEquals(6, newest(1024).checkpoint());
    damage(2, 1024);
    assertRefused("all copies of its header are damaged", 1024);
    assertAnyRefused("all copies of its header are damaged");
  }

  @ParameterizedTest
  @ValueSource(ints = {LEAST_PAGE, 4096, MemoryPageStore.MAX_PAGE_BYTES})
  void anyCopyTellsHowLargePagesAre(int pageBytes) throws IOException {
    write(header(6, pageBytes));
    write(header(7, pageBytes));
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      assertEquals(pageBytes, StoreHeaders.any(FILES, path()).pageBytes());
      damage(copy, pageBytes);
    }
    assertAnyRefused("all copies of its header are damaged");
  }

  @Test
  void aCopyBehindTheEndIsNone() throws IOException {
    write(header(6, 1024));
    cut(3 * StoreHeader.BLOCK_BYTES - 512);
    assertEquals(6, newest(1024).checkpoint());
    try (PageFile file = PageFiles.CHANNEL.open(path(), Access.READ, 512)) {
      assertNotNull(StoreHeaders.copy(file, 1024, 0));
      assertNull(StoreHeaders.copy(file, 1024, 2));
    }
    damage(0, 1024);
    assertAnyRefused("all copies of its header are damaged");
    overwrite(20, (byte) 0);
    cut(StoreHeader.BLOCK_BYTES);
    assertEquals(6, newest(1024).checkpoint());
    assertEquals(1024, StoreHeaders.any(FILES, path()).pageBytes());
    cut(0);
    assertAnyRefused("is no store of indexes");
  }

  /** Such as a page whose bytes are those of a header. */
  @ParameterizedTest
  @ValueSource(ints = {1024, MemoryPageStore.MAX_PAGE_BYTES})
  void whatFollowsTheLastCopyIsNoHeader(int pageBytes) throws IOException {
    StoreHeader header = header(6, pageBytes);
    write(header);
    MemorySegment newer = StoreHeader.block();
    header(7, pageBytes).write(newer, 1);
    overwrite(StoreHeader.areaBytes(pageBytes), newer.toArray(ValueLayout.JAVA_BYTE));
    assertEquals(header, newest(pageBytes));
  }

  @Test
  void behindThePlacesOfTheLargestPagesNoHeaderIsLookedFor() throws IOException {
    int pageBytes = MemoryPageStore.MAX_PAGE_BYTES;
    write(header(6, pageBytes));
    damage(0, pageBytes);
    damage(2, pageBytes);
    MemorySegment block = StoreHeader.block();
    header(7, pageBytes).write(block, 1);
    overwrite(StoreHeader.areaBytes(pageBytes), block.toArray(ValueLayout.JAVA_BYTE));
    assertAnyRefused("all copies of its header are damaged");
  }

  @ParameterizedTest
  @CsvSource({
    "0, is no store of indexes",
    "1, has version 1 of the file format",
    "5, has version 5 of the file format; this library knows only 2 to 4",
  })
  void aStoreOfAnotherVersionIsRefusedByItsNumber(int version, String why) throws IOException {
    write(header(6, 1024));
    for (int copy = 0; copy < StoreHeader.COPIES; copy += 2) {
      overwrite(StoreHeader.position(copy, 1024) + 8, (byte) version);
    }
    assertAnyRefused(why);
  }

  @Test
  void theFirstVersionThatIsStatedIsThatOfTheRefusal() throws IOException {
    write(header(6, 1024));
    overwrite(8, (byte) 1);
    overwrite(StoreHeader.position(2, 1024) + 8, (byte) 5);
    assertAnyRefused("has version 1 of the file format");
  }

  @ParameterizedTest
  @CsvSource({
    "1023, 65536, 0, 1",
    "128, 65536, 0, 1",
    "131072, 65536, 0, 1",
    "1024, 0, 0, 1",
    "1024, 2147483647, 0, 1",
    "1024, 65536, -1, 1",
    "1024, 65536, 0, 0",
  })
  void impossibleValuesAreRefusedInAnyHeader(
      int pageBytes, int segmentBytes, int slots, int stripes) {
    write(header(6, pageBytes, segmentBytes, slots, stripes));
    assertRefused("contradicts itself", pageBytes);
    assertAnyRefused("contradicts itself");
  }

  @Test
  void extremeValuesArePossible() {
    int most = MemoryPageStore.MAX_PAGE_BYTES;
    StoreHeader large =
        header(6, most, StoreOptions.MOST_SEGMENT_BYTES, Integer.MAX_VALUE, Integer.MAX_VALUE);
    write(large);
    assertEquals(large, newest(most));
    assertEquals(large, StoreHeaders.any(FILES, path()));
    assertTrue(path().toFile().delete());
    StoreHeader small = header(6, LEAST_PAGE, LEAST_SEGMENT, 0, 1);
    write(small);
    assertEquals(small, newest(LEAST_PAGE));
  }

  @ParameterizedTest
  @ValueSource(ints = {LEAST_SEGMENT - 1, StoreOptions.MOST_SEGMENT_BYTES + 1})
  void segmentsOfOneByteMoreOrLessAreRefused(int segmentBytes) {
    write(header(6, 1024, segmentBytes, 0, 1));
    assertRefused("contradicts itself", 1024);
  }
}
