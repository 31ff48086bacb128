// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The record of one write of a long, the most frequent one: the same bytes as those of a {@link
 * LogRecord} with that write, put together in registers and stored as whole longs.
 *
 * <pre>
 *  0        4        8                 16      20                 24         28
 *  | length | crc32c | sequence number | epoch | kind, checkpoint | unforced |
 *  | SET | index | key | value | 0 |
 * </pre>
 */
final class SetRecord {
  private static final int PAYLOAD_BYTES = LogRecord.MOST_OPERATION_BYTES;

  /** Bytes that it takes in the log. */
  static final int BYTES = LogRecord.logBytes(PAYLOAD_BYTES);

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Store id, segment and offset, the length, and what follows the checksum. */
  private static final int CHECKED_BYTES =
      LogRecord.SEED_BYTES + 4 + LogRecord.HEADER_BYTES - 8 + PAYLOAD_BYTES;

  private final CRC32C crc = new CRC32C();
  private final byte[] checked = new byte[(CHECKED_BYTES + 7) & -8];

  /** Sets what the checksum begins with. */
  void place(long storeId, long segment, long offset) {
    WORD.set(checked, 0, storeId);
    WORD.set(checked, 8, segment);
    WORD.set(checked, 16, offset);
  }

  /**
   * Writes the record to where {@link #place} has put it.
   *
   * @param n the last checkpoint that is durable
   * @param forced the sequence number up to which the log is forced
   */
  void writeTo(
      MemorySegment log,
      long at,
      long sequence,
      int epoch,
      long n,
      long forced,
      int index,
      long key,
      long value) {
    long epochAndKind =
        (epoch & 0xffffffffL) | (long) (LogRecord.BATCH | (int) n << 8) << Integer.SIZE;
    long operation =
        (LogRecord.unforced(sequence, forced) & 0xffffffffL)
            | (LogRecord.SET | (index & 0xffffL) << 8) << Integer.SIZE
            | key << 56;
    long keyAndValue = key >>> 8 | value << 56;
    WORD.set(checked, 24, PAYLOAD_BYTES | sequence << Integer.SIZE);
    WORD.set(checked, 32, sequence >>> Integer.SIZE | epochAndKind << Integer.SIZE);
    WORD.set(checked, 40, epochAndKind >>> Integer.SIZE | operation << Integer.SIZE);
    WORD.set(checked, 48, operation >>> Integer.SIZE | keyAndValue << Integer.SIZE);
    WORD.set(checked, 56, keyAndValue >>> Integer.SIZE | value >>> 8 << Integer.SIZE);
    WORD.set(checked, 64, value >>> 40);
    crc.reset();
    crc.update(checked, 0, CHECKED_BYTES);
    log.set(LONG, at, PAYLOAD_BYTES | crc.getValue() << Integer.SIZE);
    log.set(LONG, at + 8, sequence);
    log.set(LONG, at + 16, epochAndKind);
    log.set(LONG, at + 24, operation);
    log.set(LONG, at + 32, keyAndValue);
    log.set(LONG, at + 40, value >>> 8);
  }
}
