// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record of the log while it is being put together: a batch of operations, or a note. It is
 * little-endian, and begins at a multiple of 16 bytes:
 *
 * <pre>
 *  0        4        8                 16      20     21                24
 *  | length | crc32c | sequence number | epoch | kind | checkpoint, low | payload ... |
 * </pre>
 *
 * The length is that of the payload, at least 1. The checksum covers store id, segment and offset,
 * followed by all other bytes, so that a record counts only where it was written.
 *
 * <p>An operation is its kind, the id of its index, and its keys and values:
 *
 * <pre>
 *  0      1       3     11      19
 *  | SET    | index | key  | value |
 *  | DELETE | index | key  |
 *  | RANGE  | index | from | to    |   both included
 *  | CLEAR  | index |
 * </pre>
 *
 * <p>Operations on an index of byte strings have lengths, two bytes for a key and four for a value:
 *
 * <pre>
 *  | SET_BYTES    | index | key length | value length | key | value |
 *  | DELETE_BYTES | index | key length | key |
 *  | RANGE_BYTES  | index | bounds     | from length  | to length | from | to |
 *  | CLEAR_BYTES  | index |
 * </pre>
 *
 * The lowest bit of the bounds says whether {@code from} is included, the next one whether {@code
 * to} is.
 */
final class LogRecord {
  static final int HEADER_BYTES = 24;

  static final int ALIGNMENT = 16;

  /** Kind of a record with operations, which take effect together. */
  static final int BATCH = 1;

  /** Kind of a record with a note. */
  static final int NOTE = 2;

  static final int SET = 1;
  static final int DELETE = 2;
  static final int RANGE = 3;
  static final int CLEAR = 4;
  static final int SET_BYTES = 5;
  static final int DELETE_BYTES = 6;
  static final int RANGE_BYTES = 7;
  static final int CLEAR_BYTES = 8;

  /** Bounds of a range: {@code from} is included. */
  static final int FROM_INCLUDED = 1;

  /** Bounds of a range: {@code to} is included. */
  static final int TO_INCLUDED = 2;

  /** Bytes of an operation before what it tells: its kind, and its index. */
  static final int OPERATION_BYTES = 3;

  /** The length of a key. */
  static final int KEY_LENGTH_BYTES = 2;

  /** Bytes of the largest operation. */
  static final int MOST_OPERATION_BYTES = 19;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  /** Memory that is kept from one record to the next; a record of large values has its own. */
  private static final int KEPT_BYTES = 1 << 20;

  /** Store id, segment and offset, which the checksum begins with and which are not written. */
  static final int SEED_BYTES = 24;

  private static final int LENGTH_AT = SEED_BYTES;

  /** The checksum is left out, as it is computed over what lies here in one piece. */
  private static final int SEQUENCE_AT = LENGTH_AT + Integer.BYTES;

  private static final int EPOCH_AT = SEQUENCE_AT + Long.BYTES;
  private static final int KIND_AT = EPOCH_AT + Integer.BYTES;
  private static final int PAYLOAD_AT = KIND_AT + Integer.BYTES;

  private final CRC32C crc = new CRC32C();
  private byte[] bytes = new byte[256];
  private int kind;
  private int end;

  // ---------------------------------------------------------------- fill

  /** Begins a record. */
  void begin(int recordKind) {
    kind = recordKind;
    end = PAYLOAD_AT;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[KEPT_BYTES];
    }
  }

  void set(int index, long key, long value) {
    operation(SET, index);
    putLong(key);
    putLong(value);
  }

  void delete(int index, long key) {
    operation(DELETE, index);
    putLong(key);
  }

  /** Adds the removal of all entries between two keys, both included. */
  void removeRange(int index, long from, long to) {
    operation(RANGE, index);
    putLong(from);
    putLong(to);
  }

  void clear(int index) {
    operation(CLEAR, index);
  }

  /** Adds a write to an index of byte strings. */
  void set(int index, MemorySegment key, MemorySegment value) {
    ensure(setBytes((int) key.byteSize(), (int) value.byteSize()));
    operation(SET_BYTES, index);
    putShort((int) key.byteSize());
    INT.set(bytes, end, (int) value.byteSize());
    end += Integer.BYTES;
    putBytes(key);
    putBytes(value);
  }

  /** Adds a removal from an index of byte strings. */
  void delete(int index, MemorySegment key) {
    ensure(deleteBytes((int) key.byteSize()));
    operation(DELETE_BYTES, index);
    putShort((int) key.byteSize());
    putBytes(key);
  }

  /** Adds the removal of all entries between two byte strings. */
  void removeRange(int index, byte[] from, boolean fromIncluded, byte[] to, boolean toIncluded) {
    ensure(rangeBytes(from.length, to.length));
    operation(RANGE_BYTES, index);
    bytes[end++] = (byte) ((fromIncluded ? FROM_INCLUDED : 0) | (toIncluded ? TO_INCLUDED : 0));
    putShort(from.length);
    putShort(to.length);
    putBytes(MemorySegment.ofArray(from));
    putBytes(MemorySegment.ofArray(to));
  }

  /** Adds the removal of all entries of an index of byte strings. */
  void clearBytes(int index) {
    operation(CLEAR_BYTES, index);
  }

  /** Returns the bytes of a write to an index of byte strings. */
  static int setBytes(int key, int value) {
    return OPERATION_BYTES + KEY_LENGTH_BYTES + Integer.BYTES + key + value;
  }

  private static int deleteBytes(int key) {
    return OPERATION_BYTES + KEY_LENGTH_BYTES + key;
  }

  /** Returns the bytes of the removal of a range of byte strings. */
  static int rangeBytes(int from, int to) {
    return OPERATION_BYTES + 1 + 2 * KEY_LENGTH_BYTES + from + to;
  }

  private void operation(int operation, int index) {
    ensure(MOST_OPERATION_BYTES);
    bytes[end] = (byte) operation;
    SHORT.set(bytes, end + 1, (short) index);
    end += OPERATION_BYTES;
  }

  private void putShort(int value) {
    SHORT.set(bytes, end, (short) value);
    end += Short.BYTES;
  }

  private void putBytes(MemorySegment from) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, bytes, end, (int) from.byteSize());
    end += (int) from.byteSize();
  }

  private void putLong(long value) {
    LONG.set(bytes, end, value);
    end += Long.BYTES;
  }

  /** Makes the payload that of a note, which may be empty. */
  void note(byte[] note) {
    ensure(note.length + 1);
    bytes[end] = 0;
    System.arraycopy(note, 0, bytes, end + 1, note.length);
    end += note.length + 1;
  }

  private void ensure(int more) {
    if (end + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end + more, Math.min(2 * bytes.length, 1 << 30)));
    }
  }

  // ---------------------------------------------------------------- write

  /** Tells whether nothing was added. */
  boolean isEmpty() {
    return end == PAYLOAD_AT;
  }

  /** Returns the bytes that the record takes in the log. */
  int logBytes() {
    return logBytes(end - PAYLOAD_AT);
  }

  /** Returns the bytes that a record with a payload of a given length takes in the log. */
  static int logBytes(int payload) {
    return (HEADER_BYTES + payload + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Completes the record for its place in the log. */
  void complete(long storeId, long segment, long offset, long sequence, int epoch, long n) {
    LONG.set(bytes, 0, storeId);
    LONG.set(bytes, 8, segment);
    LONG.set(bytes, 16, offset);
    INT.set(bytes, LENGTH_AT, end - PAYLOAD_AT);
    LONG.set(bytes, SEQUENCE_AT, sequence);
    INT.set(bytes, EPOCH_AT, epoch);
    INT.set(bytes, KIND_AT, kind | (int) n << 8);
  }

  /**
   * Writes the record to where {@link #complete} has put it, with zeros up to its end.
   *
   * @param whenFull makes room in the buffer, for a record that is larger
   */
  void writeTo(LogBuffer log, Runnable whenFull) {
    crc.reset();
    crc.update(bytes, 0, end);
    // What lies before it was computed over, and the checksum is where the length was.
    INT.set(bytes, LENGTH_AT - Integer.BYTES, end - PAYLOAD_AT);
    INT.set(bytes, LENGTH_AT, (int) crc.getValue());
    int from = LENGTH_AT - Integer.BYTES;
    while (from < end) {
      if (log.room() == 0) {
        whenFull.run();
      }
      int count = Math.min(log.room(), end - from);
      log.add(bytes, from, count);
      from += count;
    }
    log.addZeros(logBytes() - HEADER_BYTES - (end - PAYLOAD_AT));
  }

  // ---------------------------------------------------------------- read

  /** What a complete record that was read says. */
  record Header(int length, long sequence, int epoch, int kind, int checkpoint) {}

  /**
   * Returns what the record at an offset of a segment says; null if there is none that was written
   * there.
   *
   * @param segment bytes of the segment
   */
  static @Nullable Header read(byte[] segment, int offset, long storeId, long number) {
    return read(segment, offset, storeId, number, true);
  }

  /**
   * Returns what a record says, as {@link #read(byte[], int, long, long)}.
   *
   * @param checked whether its checksum has to fit, as always but in tests
   */
  static @Nullable Header read(
      byte[] segment, int offset, long storeId, long number, boolean checked) {
    if (offset > segment.length - HEADER_BYTES) {
      return null;
    }
    int length = lengthAt(segment, offset);
    if (length < 1 || length > segment.length - HEADER_BYTES - offset) {
      return null;
    }
    byte[] seed = new byte[SEED_BYTES + Integer.BYTES];
    LONG.set(seed, 0, storeId);
    LONG.set(seed, 8, number);
    LONG.set(seed, 16, (long) offset);
    INT.set(seed, LENGTH_AT, length);
    CRC32C crc = new CRC32C();
    crc.update(seed, 0, seed.length);
    crc.update(segment, offset + 8, HEADER_BYTES - 8 + length);
    if (checked && (int) crc.getValue() != (int) INT.get(segment, offset + 4)) {
      return null;
    }
    int kindAndCheckpoint = (int) INT.get(segment, offset + 20);
    return new Header(
        length,
        (long) LONG.get(segment, offset + 8),
        (int) INT.get(segment, offset + 16),
        kindAndCheckpoint & 0xff,
        kindAndCheckpoint >>> 8);
  }

  /** Returns where the block ends in which an offset is: there a record may begin after a force. */
  static long nextBlock(long offset) {
    return (offset + LogBuffer.BLOCK_BYTES - 1) & -LogBuffer.BLOCK_BYTES;
  }

  /** Returns the length that a record states for its payload; 0 where no record can begin. */
  static int lengthAt(byte[] segment, int offset) {
    return offset > segment.length - HEADER_BYTES ? 0 : (int) INT.get(segment, offset);
  }

  static long longAt(byte[] payload, int at) {
    return (long) LONG.get(payload, at);
  }

  static int indexAt(byte[] payload, int at) {
    return shortAt(payload, at);
  }

  static int shortAt(byte[] payload, int at) {
    return (short) SHORT.get(payload, at) & 0xffff;
  }

  static int intAt(byte[] payload, int at) {
    return (int) INT.get(payload, at);
  }
}
