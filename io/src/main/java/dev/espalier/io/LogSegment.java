// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static dev.espalier.io.LittleEndian.LONG;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file with a part of the log. It is made once, filled with zeros, and used again and again, so
 * that a commit changes nothing but bytes. Its first block says which part it has; records follow.
 *
 * <pre>
 *    0  magic, 8 bytes "ESPALLOG"   24  number of the segment, long
 *    8  version, int                32  epoch, int     36  0, int
 *   12  crc32c of the others, int   40  sequence number of the first record, long
 *   16  store id, long              48  last durable checkpoint, long
 *                                   56
 * </pre>
 */
final class LogSegment {
  /** Where records begin. */
  static final int HEADER_BYTES = LogBuffer.BLOCK_BYTES;

  private static final byte[] MAGIC = "ESPALLOG".getBytes(StandardCharsets.US_ASCII);
  private static final long CHECKSUM_AT = 12;
  private static final long END_AT = 56;

  private static final int ZEROS_BYTES = 1 << 20;

  final PageFile file;
  final long bytes;

  /** Which part of the log it has. */
  long number;

  private LogSegment(PageFile file, long bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /**
   * What the first block says.
   *
   * @param number of the segment, each larger by one than that before
   * @param first sequence number of the first record
   */
  record Header(long storeId, long number, int epoch, long first, long checkpoint) {

    byte[] block() {
      byte[] bytes = new byte[HEADER_BYTES];
      MemorySegment block = MemorySegment.ofArray(bytes);
      MemorySegment.copy(MAGIC, 0, block, JAVA_BYTE, 0, MAGIC.length);
      block.set(INT, 8, StoreHeader.VERSION);
      block.set(LONG, 16, storeId);
      block.set(LONG, 24, number);
      block.set(INT, 32, epoch);
      block.set(LONG, 40, first);
      block.set(LONG, 48, checkpoint);
      block.set(INT, CHECKSUM_AT, checksum(block));
      return bytes;
    }

    /** Returns what a block says; null if it is not the first one of a segment. */
    static @Nullable Header read(byte[] bytes) {
      MemorySegment block = MemorySegment.ofArray(bytes);
      boolean isHeader =
          Arrays.equals(block.asSlice(0, MAGIC.length).toArray(JAVA_BYTE), MAGIC)
              && block.get(INT, CHECKSUM_AT) == checksum(block);
      return isHeader
          ? new Header(
              block.get(LONG, 16),
              block.get(LONG, 24),
              block.get(INT, 32),
              block.get(LONG, 40),
              block.get(LONG, 48))
          : null;
    }

    private static int checksum(MemorySegment block) {
      CRC32C crc = new CRC32C();
      crc.update(block.asSlice(0, CHECKSUM_AT).asByteBuffer());
      crc.update(block.asSlice(CHECKSUM_AT + 4, END_AT - CHECKSUM_AT - 4).asByteBuffer());
      return (int) crc.getValue();
    }
  }

  // ---------------------------------------------------------------- open

  /** Makes a segment, all zeros, whose bytes and name are safe. */
  static LogSegment create(StoreFiles files, Path path, long bytes) {
    PageFile file = files.openLog(path, Access.CREATE, LogBuffer.BLOCK_BYTES);
    try {
      file.grow(bytes);
      writeZeros(file, bytes);
      file.force();
      files.forceNames(path);
      return new LogSegment(file, bytes);
    } catch (RuntimeException | Error failed) {
      file.close();
      try {
        files.delete(path);
      } catch (PageFileException second) {
        failed.addSuppressed(second);
      }
      throw failed;
    }
  }

  private static void writeZeros(PageFile file, long bytes) {
    try (Arena arena = Arena.ofShared()) {
      int most = (int) Math.min(ZEROS_BYTES, bytes);
      IoBatch batch = new IoBatch(arena.allocate(most, LogBuffer.BLOCK_BYTES), 1);
      for (long at = 0; at < bytes; at += most) {
        batch.clear();
        batch.add(at, 0, (int) Math.min(most, bytes - at));
        file.write(batch);
      }
    }
  }

  /** Opens a segment that is there. */
  static LogSegment open(StoreFiles files, Path path, Access access) {
    PageFile file = files.openLog(path, access, LogBuffer.BLOCK_BYTES);
    return new LogSegment(file, file.bytes() & -LogBuffer.BLOCK_BYTES);
  }

  Path path() {
    return file.path();
  }

  // ---------------------------------------------------------------- read

  /** Returns what the first block says, null if it says nothing. */
  @Nullable Header header() {
    return bytes < HEADER_BYTES ? null : Header.read(read(StoreHeader.block()));
  }

  /** Returns all bytes. */
  byte[] contents() {
    try (Arena arena = Arena.ofShared()) {
      return read(arena.allocate(bytes, LogBuffer.BLOCK_BYTES));
    }
  }

  /** Returns the first bytes, as many as a memory has. */
  private byte[] read(MemorySegment memory) {
    IoBatch batch = new IoBatch(memory, 1);
    batch.add(0, 0, (int) memory.byteSize());
    file.read(batch);
    return memory.toArray(JAVA_BYTE);
  }
}
