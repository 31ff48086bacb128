// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a record of the log: what is written, what is read, and what is none. */
class LogRecordTest {
  private static final LogRecord.Place PLACE = new LogRecord.Place(77, 3);
  private static final int OFFSET = 4096;
  private static final int HEADER = LogRecord.HEADER_BYTES;

  private final LogRecord record = new LogRecord();

  private LogRecord begin() {
    record.begin(LogRecord.BATCH);
    return record;
  }

  /** Returns the bytes of the record, in a place that had others. */
  private byte[] written(long sequence, long forced) {
    byte[] bytes = new byte[record.logBytes() + 8];
    Arrays.fill(bytes, (byte) 7);
    record.complete(77, 3, OFFSET, sequence, 5, 6, forced);
    record.writeTo(MemorySegment.ofArray(bytes), 0);
    for (int i = record.logBytes(); i < bytes.length; i++) {
      assertEquals(7, bytes[i], "what is behind the record stays");
    }
    return Arrays.copyOf(bytes, record.logBytes());
  }

  private static LogRecord.@Nullable Header read(byte[] bytes) {
    return LogRecord.read(bytes, 0, bytes.length, OFFSET, PLACE, true);
  }

  private static MemorySegment segment(int size) {
    return MemorySegment.ofArray(new byte[size]);
  }

  // ---------------------------------------------------------------- whole records

  @ParameterizedTest
  @CsvSource({"1, 32", "4, 32", "5, 48", "20, 48", "21, 64"})
  void aRecordTakesWholeUnitsOfSixteenBytes(int payload, int bytes) {
    assertEquals(bytes, LogRecord.logBytes(payload));
    assertEquals((24 + payload + 15) / 16 * 16, LogRecord.logBytes(payload, 24));
    record.begin(LogRecord.NOTE);
    record.note(new byte[payload - 1]);
    byte[] written = written(9, 9);
    assertEquals(bytes, written.length);
    for (int i = HEADER + payload; i < bytes; i++) {
      assertEquals(0, written[i]);
    }
    LogRecord.Header header = read(written);
    assertNotNull(header);
    assertEquals(payload, header.length());
  }

  @Test
  void whatIsWrittenIsRead() {
    begin().set(1, 2, 3);
    byte[] written = written(1L << 40 | 9, (1L << 40) + 2);
    assertEquals(
        new LogRecord.Header(19, 1L << 40 | 9, 5, LogRecord.BATCH, 6, (1L << 40) + 2),
        read(written));
    assertEquals(1L << 40 | 9, LogRecord.sequenceAt(written, 0));
    assertEquals(5, LogRecord.epochAt(written, 0));
    assertEquals(19, LogRecord.intAt(written, 0));
    assertEquals(read(written), LogRecord.read(at(written, OFFSET), OFFSET, PLACE));
  }

  /** Returns bytes behind so many others. */
  private static byte[] at(byte[] bytes, int offset) {
    byte[] all = new byte[offset + bytes.length];
    System.arraycopy(bytes, 0, all, offset, bytes.length);
    return all;
  }

  @Test
  void anyOtherBitOrPlaceIsNoRecord() {
    begin().set(1, 2, 3);
    byte[] written = written(9, 8);
    for (int bit = 0; bit < Byte.SIZE * (HEADER + 19); bit++) {
      written[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertNull(read(written), "bit " + bit);
      written[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    }
    assertNotNull(read(written));
    assertNull(LogRecord.read(written, 0, written.length, OFFSET + 16, PLACE, true));
    LogRecord.Place[] others = {
      new LogRecord.Place(78, 3), new LogRecord.Place(77, 4), new LogRecord.Place(77, 3, 24)
    };
    for (LogRecord.Place other : others) {
      assertNull(LogRecord.read(written, 0, written.length, OFFSET, other, true));
    }
    written[HEADER] ^= 1;
    assertNotNull(LogRecord.read(written, 0, written.length, OFFSET, PLACE, false));
  }

  @Test
  void aRecordEndsWithTheBytesAtTheLatest() {
    begin().set(1, 2, 3);
    byte[] written = written(9, 8);
    int whole = HEADER + 19;
    assertNotNull(LogRecord.read(written, 0, whole, OFFSET, PLACE, true));
    for (int end : new int[] {whole - 1, HEADER, HEADER - 1, 0}) {
      assertNull(LogRecord.read(written, 0, end, OFFSET, PLACE, true));
    }
    byte[] behind = at(written, 16);
    assertNotNull(LogRecord.read(behind, 16, 16 + whole, OFFSET, PLACE, true));
    assertNull(LogRecord.read(behind, 16, 16 + whole - 1, OFFSET, PLACE, true));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void aRecordHasAPayload(int length) {
    begin().set(1, 2, 3);
    byte[] written = written(9, 8);
    ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN).putInt(0, length);
    assertNull(LogRecord.read(written, 0, written.length, OFFSET, PLACE, false));
  }

  // ---------------------------------------------------------------- kinds

  @Test
  void aRecordIsEmptyUntilSomethingIsAdded() {
    assertTrue(begin().isEmpty());
    record.clear(1);
    assertFalse(record.isEmpty());
    record.begin(LogRecord.BATCH);
    assertTrue(record.isEmpty());
  }

  @Test
  void aMarkSaysThatAllIsForced() {
    LogRecord mark = LogRecord.mark();
    byte[] written = new byte[mark.logBytes()];
    mark.complete(77, 3, OFFSET, 9, 5, 6, 2);
    mark.writeTo(MemorySegment.ofArray(written), 0);
    LogRecord.Header header = read(written);
    assertNotNull(header);
    assertEquals(9, header.forced());
    assertEquals(LogRecord.MARK, header.kind());
    assertFalse(header.isNumbered());
    assertFalse(header.isEnd());
  }

  @Test
  void theLastRecordOfASegmentNamesTheNextOne() {
    LogRecord last = LogRecord.end(12, 1L << 33);
    byte[] written = new byte[last.logBytes()];
    assertEquals(LogRecord.END_BYTES, written.length);
    last.complete(77, 3, OFFSET, 9, 5, 6, 2);
    last.writeTo(MemorySegment.ofArray(written), 0);
    LogRecord.Header header = read(written);
    assertNotNull(header);
    assertTrue(header.isEnd());
    assertFalse(header.isNumbered());
    assertEquals(2, header.forced());
    assertEquals(12, LogRecord.intAt(written, HEADER));
    assertEquals(1L << 33, LogRecord.longAt(written, HEADER + 4));
    assertFalse(new LogRecord.Header(11, 1, 1, LogRecord.END, 1, 0).isEnd());
    assertFalse(new LogRecord.Header(12, 1, 1, LogRecord.NOTE, 1, 0).isEnd());
    assertTrue(new LogRecord.Header(12, 1, 1, LogRecord.NOTE, 1, 0).isNumbered());
  }

  /** In 32 bits, as how far it is behind; what is further says nothing. */
  @ParameterizedTest
  @CsvSource({
    "9, 8, 1, 8",
    "9, 9, 0, 0",
    "9, 10, 0, 0",
    "4294967304, 9, -1, 9",
    "4294967305, 9, 0, 0"
  })
  void aRecordSaysHowFarTheLogWasForced(long sequence, long forced, int unforced, long read) {
    assertEquals(unforced, LogRecord.unforced(sequence, forced));
    begin().set(1, 2, 3);
    LogRecord.Header header = read(written(sequence, forced));
    assertNotNull(header);
    assertEquals(read, header.forced());
  }

  @Test
  void aRecordOfTheOldestVersionDoesNotSayWhatWasForced() {
    begin().set(1, 2, 3);
    byte[] written = written(9, 8);
    LogRecord.Header header =
        LogRecord.read(written, 0, written.length, OFFSET, new LogRecord.Place(77, 3, 24), false);
    assertNotNull(header);
    assertEquals(0, header.forced());
  }

  /** Its memory grows for each operation, however full it is. */
  @Test
  void aRecordHasRoomForWhateverIsAdded() {
    MemorySegment key = MemorySegment.ofArray(new byte[700]);
    MemorySegment value = MemorySegment.ofArray(new byte[900]);
    Catalogue.Entry made =
        new Catalogue.Entry(
            1,
            "n".repeat(200),
            "kind",
            "codecs",
            new long[PageStore.META_WORDS],
            0,
            PageMap.Root.NONE);
    Map<Consumer<LogRecord>, Integer> additions =
        Map.of(
            record -> record.set(1, 2, 3), 19,
            record -> record.delete(1, 2), 11,
            record -> record.removeRange(1, 2, 3), 19,
            record -> record.clear(1), 3,
            record -> record.set(1, key, value), 9 + 1600,
            record -> record.delete(1, key), 5 + 700,
            record -> record.removeRange(1, new byte[700], true, new byte[800], true), 8 + 1500,
            record -> record.clearBytes(1), 3,
            record -> record.create(made), 5 + made.bytes().length,
            record -> record.note(new byte[600]), 601);
    additions.forEach(
        (addition, bytes) -> {
          for (int before = 0; before < 30; before++) {
            LogRecord record = new LogRecord();
            record.begin(LogRecord.BATCH);
            for (int i = 0; i < before; i++) {
              record.clear(1);
              record.delete(1, 2);
            }
            addition.accept(record);
            addition.accept(record);
            record.complete(1, 2, 0, 3, 4, 5, 2);
            byte[] written = new byte[record.logBytes()];
            record.writeTo(MemorySegment.ofArray(written), 0);
            LogRecord.Header read = LogRecord.read(written, 0, new LogRecord.Place(1, 2));
            assertEquals(14 * before + 2 * bytes, read == null ? 0 : read.length());
          }
        });
  }

  @Test
  void aLargeRecordDoesNotKeepItsMemory() {
    record.begin(LogRecord.NOTE);
    record.note(new byte[3 << 20]);
    assertEquals(LogRecord.logBytes((3 << 20) + 1), record.logBytes());
    begin().set(1, 2, 3);
    assertNotNull(read(written(9, 8)));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 4096",
    "4095, 4096",
    "4096, 4096",
    "4097, 8192",
    "4294967297, 4294971392"
  })
  void aBlockEndsAtItsBorder(long offset, long end) {
    assertEquals(end, LogRecord.nextBlock(offset));
  }

  // ---------------------------------------------------------------- operations

  private static byte[] payload(byte[] written, LogRecord.Header header) {
    return Arrays.copyOfRange(written, HEADER, HEADER + header.length());
  }

  private byte[] payload() {
    byte[] written = written(9, 8);
    LogRecord.Header header = read(written);
    assertNotNull(header);
    return payload(written, header);
  }

  /** An operation ends with its record at the latest, and nothing else of it is too much. */
  private void assertOperation(int bytes) {
    byte[] payload = payload();
    assertEquals(bytes, payload.length);
    assertEquals(bytes, LogRecord.operationBytes(payload, 0, bytes));
    byte[] behind = at(payload, 5);
    assertEquals(bytes, LogRecord.operationBytes(behind, 5, bytes));
    byte[] longer = Arrays.copyOf(payload, bytes + 9);
    assertEquals(bytes, LogRecord.operationBytes(longer, 0, bytes + 9));
    for (int left = 0; left < bytes; left++) {
      assertEquals(-1, LogRecord.operationBytes(payload, 0, left), left + " of " + bytes);
    }
  }

  @Test
  void anOperationOnLongsHasItsBytes() {
    begin().set(65535, -2, 3);
    assertOperation(19);
    assertEquals(65535, LogRecord.indexAt(payload(), 1));
    begin().delete(1, 2);
    assertOperation(11);
    begin().removeRange(1, 2, 2);
    assertOperation(19);
    begin().removeRange(1, Long.MIN_VALUE, Long.MAX_VALUE);
    assertOperation(19);
    begin().clear(1);
    assertOperation(3);
  }

  @Test
  void anOperationOnByteStringsHasItsBytes() {
    begin().set(1, segment(5), segment(7));
    assertOperation(LogRecord.setBytes(5, 7));
    assertEquals(21, LogRecord.setBytes(5, 7));
    begin().set(1, segment(0), segment(0));
    assertOperation(9);
    begin().delete(1, segment(6));
    assertOperation(11);
    begin().removeRange(1, new byte[3], true, new byte[4], false);
    assertOperation(LogRecord.rangeBytes(3, 4));
    assertEquals(15, LogRecord.rangeBytes(3, 4));
    begin().clearBytes(1);
    assertOperation(3);
  }

  @Test
  void theMakingOfAnIndexHasItsBytes() {
    Catalogue.Entry entry =
        new Catalogue.Entry(
            8, "name", "kind", "codecs", new long[PageStore.META_WORDS], 0, PageMap.Root.NONE);
    begin().create(entry);
    assertOperation(LogRecord.createBytes(entry.bytes().length));
    byte[] payload = payload();
    assertEquals(8, LogRecord.indexAt(payload, 1));
    assertArrayEquals(entry.bytes(), Arrays.copyOfRange(payload, 5, payload.length));
  }

  @Test
  void theBoundsOfARangeAreToldApart() {
    byte[] from = {1};
    byte[] to = {2};
    for (int bounds = 0; bounds < 4; bounds++) {
      begin().removeRange(1, from, (bounds & 1) != 0, to, (bounds & 2) != 0);
      byte[] payload = payload();
      assertEquals(bounds, payload[3]);
      assertEquals(1, payload[8]);
      assertEquals(2, payload[9]);
    }
  }

  @Test
  void emptyByteStringsMayEndARecord() {
    byte[] delete = {LogRecord.DELETE_BYTES, 1, 0, 0, 0};
    assertEquals(5, LogRecord.operationBytes(delete, 0, 5));
    assertEquals(-1, LogRecord.operationBytes(delete, 0, 4));
    byte[] range = {LogRecord.RANGE_BYTES, 1, 0, 3, 0, 0, 0, 0};
    assertEquals(8, LogRecord.operationBytes(range, 0, 8));
    assertEquals(-1, LogRecord.operationBytes(range, 0, 7));
  }

  @Test
  void aRangeThatEndsBeforeItBeginsIsNone() {
    begin().removeRange(1, 3, 2);
    assertEquals(-1, LogRecord.operationBytes(payload(), 0, 19));
    begin().removeRange(1, new byte[] {(byte) 200}, true, new byte[] {100}, true);
    assertEquals(-1, LogRecord.operationBytes(payload(), 0, 10));
    begin().removeRange(1, new byte[] {100}, true, new byte[] {(byte) 200}, true);
    assertEquals(10, LogRecord.operationBytes(payload(), 0, 10));
  }

  @ParameterizedTest
  @CsvSource({"-1, -1", "1073741824, 1073741833", "1073741825, -1", "2147483647, -1"})
  void noValueIsLongerThanItMayBe(int value, int bytes) {
    assertEquals(1 << 30, BytesIndex.MAX_VALUE);
    begin().set(1, segment(0), segment(0));
    byte[] payload = payload();
    ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).putInt(5, value);
    assertEquals(bytes, LogRecord.operationBytes(payload, 0, Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @ValueSource(bytes = {0, 10, -1, 100})
  void anOperationOfNoKindIsNone(byte kind) {
    assertEquals(-1, LogRecord.operationBytes(new byte[] {kind, 1, 0, 0}, 0, 4));
  }
}
