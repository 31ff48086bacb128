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
 * The header of a store, which makes a checkpoint the one that counts. It is one sector, so that a
 * power failure leaves either all of it or nothing. The file begins with four blocks for headers:
 * checkpoint N has its header in blocks N mod 2 and N mod 2 + 2, so the one before stays whole, and
 * damage to one copy loses nothing. Little-endian.
 *
 * <pre>
 *    0  magic, 8 bytes "ESPALIER"       64  epoch, int
 *    8  version, int                    68  catalogue: slot, checksum, 2 ints
 *   12  crc32c of the other bytes, int  76  bytes of a page, int
 *   16  store id, long                  80  bytes of a segment of the log, int
 *   24  checkpoint N, long              84  slots in the file, int
 *   32  nonce, long                     88  files that blocks are spread over, int
 *   40  sequence number, long           92  1: closed cleanly, int
 *   48  log: segment, offset, 2 longs  96  log: forced up to, long
 *                                     512
 * </pre>
 *
 * @param storeId a random number, a different one in every store and every backup
 * @param checkpoint N, one more with each checkpoint
 * @param sequence the sequence number of the last batch that the checkpoint contains
 * @param epoch one more with every opening for writing
 * @param logSegment where in the log the records that follow the checkpoint begin
 * @param catalogueSlot the slot of the first page of the catalogue
 * @param slots the number of slots that the file must have room for
 * @param stripes files that the blocks are spread over in turn
 * @param clean whether the store was closed after this checkpoint, so that nothing follows it
 * @param forced the sequence number up to which the log had been forced when this was written; 0 in
 *     version 2
 * @param version version of the format that the file has
 */
record StoreHeader(
    long storeId,
    long checkpoint,
    long sequence,
    int epoch,
    long logSegment,
    long logOffset,
    int catalogueSlot,
    int catalogueChecksum,
    int pageBytes,
    int segmentBytes,
    int slots,
    int stripes,
    boolean clean,
    long forced,
    int version) {

  /** Bytes of a header: one sector. */
  static final int BYTES = 512;

  /** Bytes that are written at once: a block that all devices and all engines take. */
  static final int BLOCK_BYTES = 4096;

  static final int COPIES = 4;

  /** Version of the format that this library writes. */
  static final int VERSION = 4;

  /** The oldest version that it reads: its log does not tell how far it had been forced. */
  static final int OLDEST_VERSION = 2;

  private static final byte[] MAGIC = "ESPALIER".getBytes(StandardCharsets.US_ASCII);

  private static final long VERSION_AT = 8;
  private static final long CHECKSUM_AT = 12;
  private static final long STORE_ID_AT = 16;
  private static final long CHECKPOINT_AT = 24;
  private static final long NONCE_AT = 32;
  private static final long SEQUENCE_AT = 40;
  private static final long LOG_SEGMENT_AT = 48;
  private static final long LOG_OFFSET_AT = 56;
  private static final long EPOCH_AT = 64;
  private static final long CATALOGUE_SLOT_AT = 68;
  private static final long CATALOGUE_CHECKSUM_AT = 72;
  private static final long PAGE_BYTES_AT = 76;
  private static final long SEGMENT_BYTES_AT = 80;
  private static final long SLOTS_AT = 84;
  private static final long STRIPES_AT = 88;
  private static final long CLEAN_AT = 92;
  private static final long FORCED_AT = 96;

  /** A header of this version, whose log was forced up to its own sequence number. */
  StoreHeader(
      long storeId,
      long checkpoint,
      long sequence,
      int epoch,
      long logSegment,
      long logOffset,
      int catalogueSlot,
      int catalogueChecksum,
      int pageBytes,
      int segmentBytes,
      int slots,
      int stripes,
      boolean clean) {
    this(
        storeId,
        checkpoint,
        sequence,
        epoch,
        logSegment,
        logOffset,
        catalogueSlot,
        catalogueChecksum,
        pageBytes,
        segmentBytes,
        slots,
        stripes,
        clean,
        sequence,
        VERSION);
  }

  /** Returns this header as of a later opening for writing. */
  StoreHeader withEpoch(int later) {
    return new StoreHeader(
        storeId,
        checkpoint,
        sequence,
        later,
        logSegment,
        logOffset,
        catalogueSlot,
        catalogueChecksum,
        pageBytes,
        segmentBytes,
        slots,
        stripes,
        clean);
  }

  /** Returns this header with another place from which the log goes on. */
  StoreHeader withLogFrom(long after, Log.Position position) {
    return new StoreHeader(
        storeId,
        checkpoint,
        after,
        epoch,
        position.segment(),
        position.offset(),
        catalogueSlot,
        catalogueChecksum,
        pageBytes,
        segmentBytes,
        slots,
        stripes,
        clean);
  }

  /** Returns this header with another sequence number up to which the log was forced. */
  StoreHeader withForced(long upTo) {
    return new StoreHeader(
        storeId,
        checkpoint,
        sequence,
        epoch,
        logSegment,
        logOffset,
        catalogueSlot,
        catalogueChecksum,
        pageBytes,
        segmentBytes,
        slots,
        stripes,
        clean,
        upTo,
        version);
  }

  /** Returns the bytes at the beginning of a file that belong to its headers. */
  static long areaBytes(int pageBytes) {
    return COPIES * blockBytes(pageBytes);
  }

  private static long blockBytes(int pageBytes) {
    return Math.max(pageBytes, BLOCK_BYTES);
  }

  /** Returns where in a file a copy of a header is. */
  static long position(int copy, int pageBytes) {
    return copy * blockBytes(pageBytes);
  }

  /**
   * Writes this header into a file, both copies at once; it is safe after a force.
   *
   * @param nonce makes every writing differ, so that no half of one is completed by another
   */
  void writeTo(PageFile file, long nonce) {
    MemorySegment block = block();
    write(block, nonce);
    IoBatch batch = new IoBatch(block, COPIES / 2);
    for (int copy = (int) (checkpoint % 2); copy < COPIES; copy += 2) {
      batch.add(position(copy, pageBytes), 0, BLOCK_BYTES);
    }
    file.write(batch);
  }

  /**
   * Returns memory for one block, all zeros. The garbage collector frees it: to close an arena that
   * threads share, all threads are stopped, which costs more than the block.
   */
  static MemorySegment block() {
    return Arena.ofAuto().allocate(BLOCK_BYTES, BLOCK_BYTES);
  }

  /** Writes the header over the first bytes of a block of zeros. */
  void write(MemorySegment block, long nonce) {
    MemorySegment.copy(MAGIC, 0, block, JAVA_BYTE, 0, MAGIC.length);
    block.set(INT, VERSION_AT, version);
    block.set(LONG, STORE_ID_AT, storeId);
    block.set(LONG, CHECKPOINT_AT, checkpoint);
    block.set(LONG, NONCE_AT, nonce);
    block.set(LONG, SEQUENCE_AT, sequence);
    block.set(LONG, LOG_SEGMENT_AT, logSegment);
    block.set(LONG, LOG_OFFSET_AT, logOffset);
    block.set(INT, EPOCH_AT, epoch);
    block.set(INT, CATALOGUE_SLOT_AT, catalogueSlot);
    block.set(INT, CATALOGUE_CHECKSUM_AT, catalogueChecksum);
    block.set(INT, PAGE_BYTES_AT, pageBytes);
    block.set(INT, SEGMENT_BYTES_AT, segmentBytes);
    block.set(INT, SLOTS_AT, slots);
    block.set(INT, STRIPES_AT, stripes);
    block.set(INT, CLEAN_AT, clean ? 1 : 0);
    block.set(LONG, FORCED_AT, forced);
    block.set(INT, CHECKSUM_AT, checksum(block));
  }

  /** Returns the version that a copy states, 0 if it is none. */
  static int version(MemorySegment copy) {
    byte[] magic = copy.asSlice(0, MAGIC.length).toArray(JAVA_BYTE);
    return Arrays.equals(magic, MAGIC) ? copy.get(INT, VERSION_AT) : 0;
  }

  /** Tells whether this library reads a version of the format. */
  static boolean isKnown(int version) {
    return version >= OLDEST_VERSION && version <= VERSION;
  }

  /** Returns the header that a copy holds, null if it is not whole or of an unknown version. */
  static @Nullable StoreHeader read(MemorySegment copy) {
    if (!isKnown(version(copy)) || copy.get(INT, CHECKSUM_AT) != checksum(copy)) {
      return null;
    }
    return new StoreHeader(
        copy.get(LONG, STORE_ID_AT),
        copy.get(LONG, CHECKPOINT_AT),
        copy.get(LONG, SEQUENCE_AT),
        copy.get(INT, EPOCH_AT),
        copy.get(LONG, LOG_SEGMENT_AT),
        copy.get(LONG, LOG_OFFSET_AT),
        copy.get(INT, CATALOGUE_SLOT_AT),
        copy.get(INT, CATALOGUE_CHECKSUM_AT),
        copy.get(INT, PAGE_BYTES_AT),
        copy.get(INT, SEGMENT_BYTES_AT),
        copy.get(INT, SLOTS_AT),
        copy.get(INT, STRIPES_AT),
        copy.get(INT, CLEAN_AT) == 1,
        copy.get(LONG, FORCED_AT),
        version(copy));
  }

  private static int checksum(MemorySegment header) {
    CRC32C crc = new CRC32C();
    crc.update(header.asSlice(0, CHECKSUM_AT).asByteBuffer());
    long behind = CHECKSUM_AT + Integer.BYTES;
    crc.update(header.asSlice(behind, BYTES - behind).asByteBuffer());
    return (int) crc.getValue();
  }
}
