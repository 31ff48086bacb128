// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreHeaderTest {
  /** No two fields are equal. */
  private static final StoreHeader HEADER = header(101, 102, 103, 104, 105, 106, 107, false);

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private static StoreHeader header(
      long storeId,
      long checkpoint,
      long sequence,
      int epoch,
      long logSegment,
      long logOffset,
      long forced,
      boolean clean) {
    return new StoreHeader(
        storeId,
        checkpoint,
        sequence,
        epoch,
        logSegment,
        logOffset,
        108,
        109,
        512,
        110,
        111,
        112,
        clean,
        forced,
        StoreHeader.VERSION);
  }

  private static MemorySegment written(StoreHeader header, long nonce) {
    MemorySegment block = StoreHeader.block();
    header.write(block, nonce);
    return block;
  }

  @Test
  void everyFieldComesBack() {
    assertEquals(HEADER, StoreHeader.read(written(HEADER, 1)));
    StoreHeader clean = header(-1, -2, -3, -4, -5, -6, -7, true);
    assertEquals(clean, StoreHeader.read(written(clean, 1)));
  }

  @Test
  void everyFieldIsWhereTheFormatHasIt() {
    MemorySegment block = written(HEADER, 113);
    assertArrayEquals("ESPALIER".getBytes(), block.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE));
    int[] ints = {8, 64, 68, 72, 76, 80, 84, 88, 92};
    int[] expected = {4, 104, 108, 109, 512, 110, 111, 112, 0};
    assertArrayEquals(
        expected, Arrays.stream(ints).map(at -> block.get(ValueLayout.JAVA_INT, at)).toArray());
    int[] longs = {16, 24, 32, 40, 48, 56, 96};
    assertArrayEquals(
        new long[] {101, 102, 113, 103, 105, 106, 107},
        Arrays.stream(longs).mapToLong(at -> block.get(ValueLayout.JAVA_LONG, at)).toArray());
  }

  @Test
  void aHeaderMadeWithoutSayingSoIsOfThisVersionAndItsLogIsForcedUpToIt() {
    StoreHeader made =
        new StoreHeader(101, 102, 103, 104, 105, 106, 108, 109, 512, 110, 111, 112, false);
    assertEquals(header(101, 102, 103, 104, 105, 106, 103, false), made);
  }

  @Test
  void headersMadeOfOthersDifferInNothingElse() {
    assertEquals(header(101, 102, 103, 7, 105, 106, 103, false), HEADER.withEpoch(7));
    assertEquals(
        header(101, 102, 7, 104, 8, 9, 7, false), HEADER.withLogFrom(7, new Log.Position(8, 9)));
    assertEquals(header(101, 102, 103, 104, 105, 106, 7, false), HEADER.withForced(7));
  }

  /** Of the sector; what follows it in the block does not count. */
  @Test
  void aHeaderOfWhichAnyByteHasChangedIsNotWhole() {
    MemorySegment block = written(HEADER, 113);
    for (long at = 0; at < StoreHeader.BLOCK_BYTES; at++) {
      byte sound = block.get(ValueLayout.JAVA_BYTE, at);
      block.set(ValueLayout.JAVA_BYTE, at, (byte) (sound ^ 0x10));
      StoreHeader read = StoreHeader.read(block);
      if (at < StoreHeader.BYTES) {
        assertNull(read, "byte " + at);
      } else {
        assertEquals(HEADER, read, "byte " + at);
      }
      block.set(ValueLayout.JAVA_BYTE, at, sound);
    }
  }

  @Test
  void aVersionThatHasBecomeTheOneBeforeIsNoticed() {
    MemorySegment block = written(HEADER, 113);
    block.set(ValueLayout.JAVA_INT, 8, StoreHeader.VERSION - 1);
    assertNull(StoreHeader.read(block));
  }

  @Test
  void noWritingOfAHeaderIsLikeAnother() {
    assertNotEquals(-1, written(HEADER, 1).mismatch(written(HEADER, 2)));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 2, 3, 4, 5})
  void onlyThisVersionAndTheTwoBeforeAreRead(int version) {
    StoreHeader other =
        new StoreHeader(
            101, 102, 103, 104, 105, 106, 108, 109, 512, 110, 111, 112, true, 0, version);
    MemorySegment block = written(other, 1);
    assertEquals(version, StoreHeader.version(block));
    boolean isKnown = version >= 2 && version <= 4;
    assertEquals(isKnown, StoreHeader.isKnown(version));
    assertEquals(isKnown ? other : null, StoreHeader.read(block));
  }

  @Test
  void aBlockWithoutTheMagicNumberHasNoVersion() {
    MemorySegment block = written(HEADER, 1);
    block.set(ValueLayout.JAVA_BYTE, 7, (byte) 'X');
    assertEquals(0, StoreHeader.version(block));
    assertEquals(0, StoreHeader.version(StoreHeader.block()));
  }

  @Test
  void copiesAreAPageApartAndABlockAtLeast() {
    assertEquals(4 * 4096, StoreHeader.areaBytes(256));
    assertEquals(3 * 4096, StoreHeader.position(3, 4096));
    assertEquals(4 * 65_536, StoreHeader.areaBytes(65_536));
    assertEquals(65_536, StoreHeader.position(1, 65_536));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aHeaderIsWrittenToItsTwoPlacesAndTheOneBeforeStays(int parity) throws IOException {
    StoreHeader header = header(101, 102 + parity, 103, 104, 105, 106, 107, false);
    Path path = folder.resolve("headers");
    try (PageFile file = PageFiles.CHANNEL.open(path, Access.CREATE, 512)) {
      file.grow(StoreHeader.areaBytes(512));
      header.writeTo(file, 1);
    }
    byte[] all = Files.readAllBytes(path);
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      int at = (int) StoreHeader.position(copy, 512);
      byte[] block = Arrays.copyOfRange(all, at, at + StoreHeader.BLOCK_BYTES);
      if (copy % 2 == parity) {
        assertEquals(-1, written(header, 1).mismatch(MemorySegment.ofArray(block)));
      } else {
        assertTrue(Arrays.equals(new byte[StoreHeader.BLOCK_BYTES], block));
      }
    }
  }
}
