// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static dev.espalier.io.LittleEndian.LONG;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Says which of the files of a store a file is. Each further file of a store that is spread over
 * several begins with a label. The first file begins with a header, and has place 0. Little-endian.
 *
 * <pre>
 *    0  magic, 8 bytes "ESPSTRIP"       24  place, int
 *    8  version, int                    28  files, int
 *   12  crc32c of the other bytes, int  32
 *   16  store id, long
 * </pre>
 *
 * @param storeId the id of the store
 * @param place the place of this file, from 1 on
 * @param stripes the number of files of the store
 */
record StripeLabel(long storeId, int place, int stripes) {
  private static final byte[] MAGIC = "ESPSTRIP".getBytes(StandardCharsets.US_ASCII);

  /** Version of the format in which labels came to be what they are. */
  private static final int VERSION = 2;

  private static final long CHECKSUM_AT = 12;
  private static final long END_AT = 32;

  /** Returns the bytes at the beginning of a file that belong to its label. */
  static int bytes(int pageBytes) {
    return Math.max(pageBytes, StoreHeader.BLOCK_BYTES);
  }

  /** Writes this label into its file; it is safe after a force. */
  void writeTo(PageFile file) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment block = arena.allocate(StoreHeader.BLOCK_BYTES, StoreHeader.BLOCK_BYTES);
      MemorySegment.copy(MAGIC, 0, block, JAVA_BYTE, 0, MAGIC.length);
      block.set(INT, 8, VERSION);
      block.set(LONG, 16, storeId);
      block.set(INT, 24, place);
      block.set(INT, 28, stripes);
      block.set(INT, CHECKSUM_AT, checksum(block));
      IoBatch batch = new IoBatch(block, 1);
      batch.add(0, 0, StoreHeader.BLOCK_BYTES);
      file.write(batch);
    }
  }

  /** Returns the label of a file, null if it has none that is whole. */
  static @Nullable StripeLabel read(PageFile file) {
    if (file.bytes() < StoreHeader.BLOCK_BYTES) {
      return null;
    }
    try (Arena arena = Arena.ofShared()) {
      MemorySegment block = arena.allocate(StoreHeader.BLOCK_BYTES, StoreHeader.BLOCK_BYTES);
      IoBatch batch = new IoBatch(block, 1);
      batch.add(0, 0, StoreHeader.BLOCK_BYTES);
      file.read(batch);
      boolean isWhole =
          Arrays.equals(block.asSlice(0, MAGIC.length).toArray(JAVA_BYTE), MAGIC)
              && block.get(INT, 8) == VERSION
              && block.get(INT, CHECKSUM_AT) == checksum(block);
      return isWhole
          ? new StripeLabel(block.get(LONG, 16), block.get(INT, 24), block.get(INT, 28))
          : null;
    }
  }

  private static int checksum(MemorySegment block) {
    CRC32C crc = new CRC32C();
    crc.update(block.asSlice(0, CHECKSUM_AT).asByteBuffer());
    crc.update(block.asSlice(CHECKSUM_AT + 4, END_AT - CHECKSUM_AT - 4).asByteBuffer());
    return (int) crc.getValue();
  }
}
