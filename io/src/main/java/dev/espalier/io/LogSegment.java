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
 *                                   56  bytes of the file, long
 *                                   64
 * </pre>
 */
final class LogSegment {
  /** Where records begin. */
  static final int HEADER_BYTES = LogBuffer.BLOCK_BYTES;

  private static final byte[] MAGIC = "ESPALLOG".getBytes(StandardCharsets.US_ASCII);
  private static final long CHECKSUM_AT = 12;
  private static final long BYTES_AT = 56;
  private static final long END_AT = 64;

  /** The first version whose segments say how long they are. */
  private static final int VERSION_WITH_BYTES = 4;

  private static final int ZEROS_BYTES = 1 << 20;

  final PageFile file;
  final long bytes;

  /** Which part of the log it has. */
  long number;

  /** Bytes of its records before their payloads. */
  int recordHeaderBytes = LogRecord.HEADER_BYTES;

  private LogSegment(PageFile file, long bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /**
   * What the first block says.
   *
   * @param number of the segment, each larger by one than that before
   * @param first sequence number of the first record
   * @param bytes of the file as it was made; 0 if it does not say
   * @param version of the format that its records have
   */
  record Header(
      long storeId, long number, int epoch, long first, long checkpoint, long bytes, int version) {

    /** Of a segment that is begun. */
    Header(long storeId, long number, int epoch, long first, long checkpoint, long bytes) {
      this(storeId, number, epoch, first, checkpoint, bytes, StoreHeader.VERSION);
    }

    byte[] block() {
      byte[] bytes = new byte[HEADER_BYTES];
      MemorySegment block = MemorySegment.ofArray(bytes);
      MemorySegment.copy(MAGIC, 0, block, JAVA_BYTE, 0, MAGIC.length);
      block.set(INT, 8, version);
      block.set(LONG, 16, storeId);
      block.set(LONG, 24, number);
      block.set(INT, 32, epoch);
      block.set(LONG, 40, first);
      block.set(LONG, 48, checkpoint);
      block.set(LONG, BYTES_AT, this.bytes);
      block.set(INT, CHECKSUM_AT, checksum(block));
      return bytes;
    }

    /** Returns what a block says; null if it is not the first one of a segment. */
    static @Nullable Header read(byte[] bytes) {
      MemorySegment block = MemorySegment.ofArray(bytes);
      boolean isHeader =
          Arrays.equals(block.asSlice(0, MAGIC.length).toArray(JAVA_BYTE), MAGIC)
              && StoreHeader.isKnown(block.get(INT, 8))
              && block.get(INT, CHECKSUM_AT) == checksum(block);
      return isHeader
          ? new Header(
              block.get(LONG, 16),
              block.get(LONG, 24),
              block.get(INT, 32),
              block.get(LONG, 40),
              block.get(LONG, 48),
              block.get(LONG, BYTES_AT), // 0 in versions before
              block.get(INT, 8))
          : null;
    }

    private static int checksum(MemorySegment block) {
      long end = block.get(INT, 8) < VERSION_WITH_BYTES ? BYTES_AT : END_AT;
      CRC32C crc = new CRC32C();
      crc.update(block.asSlice(0, CHECKSUM_AT).asByteBuffer());
      crc.update(block.asSlice(CHECKSUM_AT + 4, end - CHECKSUM_AT - 4).asByteBuffer());
      return (int) crc.getValue();
    }
  }

  /**
   * Returns the bytes at the end of a segment that are kept for its last record. Where each force
   * ends a block, that is in a block of its own.
   */
  static int bytesOfEnd(LogIdentity log) {
    return log.endsBlocks() ? LogBuffer.BLOCK_BYTES : LogRecord.END_BYTES;
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
    return bytes < HEADER_BYTES ? null : Header.read(firstBlock().toArray(JAVA_BYTE));
  }

  /** Tells whether the first block has zeros only, as one that was never written. */
  boolean isBlank() {
    if (bytes < HEADER_BYTES) {
      return file.bytes() == 0;
    }
    return firstBlock().mismatch(StoreHeader.block()) < 0;
  }

  private MemorySegment firstBlock() {
    MemorySegment block = StoreHeader.block();
    IoBatch batch = new IoBatch(block, 1);
    batch.add(0, 0, HEADER_BYTES);
    file.read(batch);
    return block;
  }

  /** Becomes the segment that its first block says it is. */
  void take(Header first) {
    number = first.number;
    recordHeaderBytes =
        first.version == StoreHeader.OLDEST_VERSION
            ? LogRecord.HEADER_BYTES_BEFORE
            : LogRecord.HEADER_BYTES;
  }
}
