// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesIndex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record of the log while it is being put together: a batch of operations, a note, a mark, or
 * the end of a segment. It is little-endian, and begins at a multiple of 16 bytes:
 *
 * <pre>
 *  0        4        8                 16      20     21                24         28
 *  | length | crc32c | sequence number | epoch | kind | checkpoint, low | unforced | payload ... |
 * </pre>
 *
 * The length is that of the payload, at least 1. Unforced says how far the log had been forced when
 * the record was written: up to the sequence number that is smaller by so many; 0 says nothing. The
 * checksum covers store id, segment and offset, followed by all other bytes, so that a record
 * counts only where it was written.
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
 *
 * <p>An index is made with what the catalogue would say of it, behind the length of that, two
 * bytes. It has no pages yet, and its words tell only the geometry of its tree:
 *
 * <pre>
 *  | CREATE | index | length | entry of the catalogue |
 * </pre>
 */
final class LogRecord {
  static final int HEADER_BYTES = 28;

  /** Bytes before the payload in version 2 of the format, which lacks the last four. */
  static final int HEADER_BYTES_BEFORE = 24;

  static final int ALIGNMENT = 16;

  /** Kind of a record with operations, which take effect together. */
  static final int BATCH = 1;

  /** Kind of a record with a note. */
  static final int NOTE = 2;

  /**
   * Kind of a record that says that all up to its sequence number, which is that of the record
   * before, is forced. It lies where the next record goes, which is written over it.
   */
  static final int MARK = 3;

  /**
   * Kind of the last record of a segment that another one follows: the number of its file, and how
   * many bytes that has. Its sequence number is that of the first record there.
   */
  static final int END = 4;

  private static final int END_PAYLOAD = Integer.BYTES + Long.BYTES;

  /** Bytes of the last record of a segment. */
  static final int END_BYTES = logBytes(END_PAYLOAD);

  static final int SET = 1;
  static final int DELETE = 2;
  static final int RANGE = 3;
  static final int CLEAR = 4;
  static final int SET_BYTES = 5;
  static final int DELETE_BYTES = 6;
  static final int RANGE_BYTES = 7;
  static final int CLEAR_BYTES = 8;
  static final int CREATE = 9;

  /** Bounds of a range: {@code from} is included. */
  static final int FROM_INCLUDED = 1;

  /** Bounds of a range: {@code to} is included. */
  static final int TO_INCLUDED = 2;

  /** Bytes of an operation before what it tells: its kind, and its index. */
  static final int OPERATION_BYTES = 3;

  /** The length of a key. */
  static final int KEY_LENGTH_BYTES = 2;

  /** Bytes of the largest operation on longs. */
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
  private static final int UNFORCED_AT = KIND_AT + Integer.BYTES;
  private static final int PAYLOAD_AT = UNFORCED_AT + Integer.BYTES;

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

  /** Adds the making of an index. */
  void create(Catalogue.Entry made) {
    byte[] entry = made.bytes();
    ensure(createBytes(entry.length));
    operation(CREATE, made.id());
    putShort(entry.length);
    putBytes(MemorySegment.ofArray(entry));
  }

  /** Returns the bytes of the making of an index. */
  static int createBytes(int entry) {
    return OPERATION_BYTES + Short.BYTES + entry;
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

  /** Returns a mark. */
  static LogRecord mark() {
    LogRecord mark = new LogRecord();
    mark.begin(MARK);
    mark.note(new byte[0]);
    return mark;
  }

  /** Returns the last record of a segment, which the one with a given file follows. */
  static LogRecord end(int file, long bytes) {
    LogRecord last = new LogRecord();
    last.begin(END);
    last.ensure(END_PAYLOAD);
    INT.set(last.bytes, last.end, file);
    last.end += Integer.BYTES;
    last.putLong(bytes);
    return last;
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
    return logBytes(payload, HEADER_BYTES);
  }

  /** Returns the same for a version of the format with other bytes before the payload. */
  static int logBytes(int payload, int headerBytes) {
    return (headerBytes + payload + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * Completes the record for its place in the log.
   *
   * @param n the last checkpoint that is durable
   * @param forced the sequence number up to which the log is forced
   */
  void complete(
      long storeId, long segment, long offset, long sequence, int epoch, long n, long forced) {
    LONG.set(bytes, 0, storeId);
    LONG.set(bytes, 8, segment);
    LONG.set(bytes, 16, offset);
    INT.set(bytes, LENGTH_AT, end - PAYLOAD_AT);
    LONG.set(bytes, SEQUENCE_AT, sequence);
    INT.set(bytes, EPOCH_AT, epoch);
    INT.set(bytes, KIND_AT, kind | (int) n << 8);
    INT.set(bytes, UNFORCED_AT, unforced(sequence, forced));
  }

  /** Returns what a record with a sequence number says of how far the log was forced. */
  static int unforced(long sequence, long forced) {
    long behind = sequence - forced;
    return behind >>> Integer.SIZE == 0 ? (int) behind : 0;
  }

  /**
   * Writes the record to where {@link #complete} has put it, with zeros up to its end.
   *
   * @param whenFull makes room in the buffer, for a record that is larger
   */
  void writeTo(LogBuffer log, Runnable whenFull) {
    seal();
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

  /** Writes the record to where {@link #complete} has put it, with zeros up to its end. */
  void writeTo(MemorySegment log, long at) {
    seal();
    int from = LENGTH_AT - Integer.BYTES;
    MemorySegment.copy(bytes, from, log, ValueLayout.JAVA_BYTE, at, end - from);
    log.asSlice(at + end - from, logBytes() - (end - from)).fill((byte) 0);
  }

  private void seal() {
    crc.reset();
    crc.update(bytes, 0, end);
    // What lies before it was computed over, and the checksum is where the length was.
    INT.set(bytes, LENGTH_AT - Integer.BYTES, end - PAYLOAD_AT);
    INT.set(bytes, LENGTH_AT, (int) crc.getValue());
  }

  // ---------------------------------------------------------------- read

  /**
   * What a complete record that was read says.
   *
   * @param forced the sequence number up to which the log had been forced; 0 if it does not say
   */
  record Header(int length, long sequence, int epoch, int kind, int checkpoint, long forced) {
    /** Tells whether it is one of those that are numbered one after another. */
    boolean isNumbered() {
      return kind != MARK && kind != END;
    }

    /** Tells whether it ends a segment, and names the next one. */
    boolean isEnd() {
      return kind == END && length == END_PAYLOAD;
    }
  }

  /**
   * Where records are.
   *
   * @param headerBytes those before the payload, which tell the version of the format
   */
  record Place(long storeId, long segment, int headerBytes) {
    /** A segment of this version. */
    Place(long storeId, long segment) {
      this(storeId, segment, HEADER_BYTES);
    }
  }

  /**
   * Returns what the record at an offset of a segment says; null if there is none that was written
   * there.
   *
   * @param bytes all bytes of the segment
   */
  static @Nullable Header read(byte[] bytes, int offset, Place place) {
    return read(bytes, offset, bytes.length, offset, place, true);
  }

  /**
   * Returns what a record says.
   *
   * @param bytes those of a part of the segment
   * @param at where in them the record begins
   * @param end where they end
   * @param offset where the record begins in the segment
   * @param checked whether its checksum has to fit, as always but in tests
   */
  static @Nullable Header read(
      byte[] bytes, int at, int end, long offset, Place place, boolean checked) {
    int headerBytes = place.headerBytes;
    if (at > end - headerBytes) {
      return null;
    }
    int length = (int) INT.get(bytes, at);
    if (length < 1 || length > end - headerBytes - at) {
      return null;
    }
    if (checked) {
      CRC32C crc = seeded(place, offset, length);
      crc.update(bytes, at + 8, headerBytes - 8 + length);
      if ((int) crc.getValue() != (int) INT.get(bytes, at + 4)) {
        return null;
      }
    }
    long sequence = sequenceAt(bytes, at);
    int kindAndCheckpoint = (int) INT.get(bytes, at + 20);
    int kind = kindAndCheckpoint & 0xff;
    int unforced = headerBytes == HEADER_BYTES ? (int) INT.get(bytes, at + 24) : 0;
    long forced = unforced == 0 ? 0 : sequence - Integer.toUnsignedLong(unforced);
    return new Header(
        length,
        sequence,
        epochAt(bytes, at),
        kind,
        kindAndCheckpoint >>> 8,
        kind == MARK ? sequence : forced);
  }

  /**
   * Returns the bytes of an operation that was read; -1 if no store writes such a one, whatever its
   * checksum says: of no kind, longer than what is left of its record, or of a range that ends
   * before it begins.
   *
   * @param left the bytes from the operation on, up to the end of the record
   */
  static int operationBytes(byte[] bytes, int at, int left) {
    int told = at + OPERATION_BYTES;
    int room = left - OPERATION_BYTES;
    if (room < 0) {
      return -1;
    }
    long more =
        switch (bytes[at]) {
          case SET -> 16;
          case DELETE -> 8;
          case RANGE -> room >= 16 && longAt(bytes, told) <= longAt(bytes, told + 8) ? 16 : -1;
          case CLEAR, CLEAR_BYTES -> 0;
          case SET_BYTES -> setBytes(bytes, told, room);
          case DELETE_BYTES ->
              room < KEY_LENGTH_BYTES ? -1 : KEY_LENGTH_BYTES + shortAt(bytes, told);
          case RANGE_BYTES -> rangeBytes(bytes, told, room);
          case CREATE -> room < Short.BYTES ? -1 : Short.BYTES + shortAt(bytes, told);
          default -> -1;
        };
    return more < 0 || more > room ? -1 : OPERATION_BYTES + (int) more;
  }

  private static long setBytes(byte[] bytes, int at, int room) {
    int lengths = KEY_LENGTH_BYTES + Integer.BYTES;
    int value = room < lengths ? -1 : intAt(bytes, at + KEY_LENGTH_BYTES);
    return value < 0 || value > BytesIndex.MAX_VALUE
        ? -1
        : (long) lengths + shortAt(bytes, at) + value;
  }

  private static long rangeBytes(byte[] bytes, int at, int room) {
    int from = at + 1 + 2 * KEY_LENGTH_BYTES;
    if (room < from - at) {
      return -1;
    }
    int to = from + shortAt(bytes, at + 1);
    int end = to + shortAt(bytes, at + 1 + KEY_LENGTH_BYTES);
    boolean isRange =
        end - at <= room && Arrays.compareUnsigned(bytes, from, to, bytes, to, end) <= 0;
    return isRange ? end - at : -1;
  }

  /** Returns a checksum that has taken what that of a record begins with. */
  static CRC32C seeded(Place place, long offset, int length) {
    byte[] seed = new byte[SEED_BYTES + Integer.BYTES];
    LONG.set(seed, 0, place.storeId);
    LONG.set(seed, 8, place.segment);
    LONG.set(seed, 16, offset);
    INT.set(seed, LENGTH_AT, length);
    CRC32C crc = new CRC32C();
    crc.update(seed, 0, seed.length);
    return crc;
  }

  /** Returns where the block ends in which an offset is: there a record may begin after a force. */
  static long nextBlock(long offset) {
    return (offset + LogBuffer.BLOCK_BYTES - 1) & -LogBuffer.BLOCK_BYTES;
  }

  /** Returns the sequence number that a record states. */
  static long sequenceAt(byte[] bytes, int record) {
    return (long) LONG.get(bytes, record + 8);
  }

  /** Returns the epoch that a record states. */
  static int epochAt(byte[] bytes, int record) {
    return (int) INT.get(bytes, record + 16);
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
