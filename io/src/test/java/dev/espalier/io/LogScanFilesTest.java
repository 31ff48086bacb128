// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What files of the log say of one another, and of the header; {@link LogScanTest} has records. */
class LogScanFilesTest {
  private static final long STORE = 77;
  private static final long CHECKPOINT = 10;
  private static final long SEQUENCE = 100;
  private static final int EPOCH = 5;
  private static final int BYTES = 16 << 10;
  private static final Log.Position END = new Log.Position(3, 4096);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final Map<Long, LogSegment> numbered = new TreeMap<>();
  private final List<LogSegment> others = new ArrayList<>();
  private final List<LogSegment> made = new ArrayList<>();

  @AfterEach
  void close() {
    made.forEach(segment -> segment.file.close());
  }

  private static StoreHeader header(boolean clean) {
    return new StoreHeader(
        STORE, CHECKPOINT, SEQUENCE, EPOCH, 2, 4096, 1, 2, 1024, 1 << 20, 9, 1, clean);
  }

  private LogScan scan() {
    return new LogScan(LogCalls.STORE, header(false), numbered, others);
  }

  private LogSegment blank(int file, int bytes) {
    LogSegment segment = LogSegment.create(disk, LogFiles.path(LogCalls.STORE, file), bytes);
    made.add(segment);
    return segment;
  }

  private static void write(LogSegment to, long at, MemorySegment block) {
    IoBatch batch = new IoBatch(block, 1);
    batch.add(at, 0, LogBuffer.BLOCK_BYTES);
    to.file.write(batch);
  }

  /** Adds a segment whose file has the same number, and says how long it was. */
  private LogSegment add(long number, int epoch, long stated, long statedBytes) {
    LogSegment segment = blank((int) number, BYTES);
    LogSegment.Header first =
        new LogSegment.Header(STORE, stated, epoch, 1, CHECKPOINT, statedBytes);
    write(segment, 0, StoreHeader.block().copyFrom(MemorySegment.ofArray(first.block())));
    segment.number = number;
    numbered.put(number, segment);
    return segment;
  }

  private LogSegment add(long number) {
    return add(number, EPOCH, number, BYTES);
  }

  private static void write(LogSegment to, LogRecord record, long at, long sequence, int epoch) {
    record.complete(
        STORE, to.number, at, sequence, epoch, CHECKPOINT, Math.min(sequence, SEQUENCE + 20));
    MemorySegment block = StoreHeader.block();
    record.writeTo(block, 0);
    write(to, at, block);
  }

  private static LogRecord note() {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.NOTE);
    record.note(new byte[1]);
    return record;
  }

  // ---------------------------------------------------------------- cut off

  @ParameterizedTest
  @CsvSource({
    "3, 5, 3, 16384, false",
    "3, 5, 3, 16385, true",
    "2, 5, 2, 20480, true",
    "1, 5, 1, 20480, false",
    "3, 4, 3, 20480, false",
    "3, 6, 3, 20480, false",
    "3, 5, 4, 20480, false",
  })
  void aSegmentThatMayBeNeededIsAsLongAsItSays(
      long number, int epoch, long stated, long bytes, boolean isCut) {
    add(number, epoch, stated, bytes);
    assertEquals(
        isCut
            ? "segment %d of its log (store.log%d) has 16384 bytes, but had %d when it was made"
                .formatted(number, number, bytes)
            : null,
        scan().damagedFile(END));
    assertNull(
        new LogScan(LogCalls.STORE, header(true), numbered, others).damagedFile(END),
        "what was closed needs none");
  }

  @Test
  void aSegmentThatSaysNothingMayHaveAnyLength() {
    LogSegment segment = blank(3, BYTES);
    segment.number = 3;
    numbered.put(3L, segment);
    assertNull(scan().damagedFile(END));
  }

  // ---------------------------------------------------------------- the next one

  private @Nullable String damageWithNext(LogSegment last, int epoch, LogRecord record, long at) {
    write(last, record, at, SEQUENCE + 1, epoch);
    return scan().damageAfter(SEQUENCE, END);
  }

  @ParameterizedTest
  @CsvSource({"16384, false", "16385, true", "8192, false"})
  void theNextSegmentIsAsLongAsTheLastRecordSays(long told, boolean isShort) {
    LogSegment next = add(4);
    write(add(3), LogRecord.end(4, told), 4096, SEQUENCE + 1, EPOCH);
    LogScan scan = scan();
    String damage = scan.damageAfter(SEQUENCE, END);
    assertEquals(
        isShort
            ? "its log goes on after segment 3 in a segment of 16385 bytes (store.log4), which has"
                + " 16384 bytes"
            : null,
        damage);
    assertSame(next, scan.next());
  }

  @Test
  void theNextSegmentIsThere() {
    LogSegment last = add(3);
    add(5);
    assertEquals(
        "its log goes on after segment 3 in a segment of 16384 bytes (store.log4), which is"
            + " missing",
        damageWithNext(last, EPOCH, LogRecord.end(4, BYTES), 4096));
    LogSegment unknown = blank(4, BYTES);
    others.add(unknown);
    LogScan scan = scan();
    assertNull(scan.damageAfter(SEQUENCE, END));
    assertSame(unknown, scan.next());
  }

  @Test
  void onlyTheEndOfTheLastSegmentNamesTheNextOne() {
    LogSegment last = add(3);
    assertNull(damageWithNext(last, EPOCH, note(), 4096 + 4096));
    LogScan scan = scan();
    scan.damageAfter(SEQUENCE + 1, END);
    assertNull(scan.next());
    LogSegment later = add(4);
    write(later, LogRecord.end(9, BYTES), 4096, SEQUENCE + 1, EPOCH);
    assertNull(scan().next());
  }

  @Test
  void whatAnotherEpochSaysOfTheNextOneMeansNothing() {
    LogSegment last = add(3);
    write(last, LogRecord.end(9, BYTES), 4096, SEQUENCE + 1, EPOCH - 1);
    LogScan scan = scan();
    assertNull(scan.damageAfter(SEQUENCE, END));
    assertNull(scan.next());
  }

  // ---------------------------------------------------------------- where records are looked for

  @Test
  void recordsBeforeTheEndMeanNothing() {
    LogSegment last = add(3);
    write(last, note(), 4096, SEQUENCE + 30, EPOCH);
    assertNull(scan().damageAfter(SEQUENCE, new Log.Position(3, 8192)));
    assertNotNull(scan().damageAfter(SEQUENCE, new Log.Position(3, 4096)));
  }

  @Test
  void recordsOfLaterSegmentsAreLookedForFromTheirBeginning() {
    add(3);
    write(add(4), note(), 4096, SEQUENCE + 30, EPOCH);
    String damage = scan().damageAfter(SEQUENCE, new Log.Position(3, 12288));
    assertTrue(String.valueOf(damage).contains("all up to 120 were safe"), damage);
  }

  /** Its number can be that of the next one only. */
  @Test
  void aSegmentWhoseFirstBlockIsLostMayBeTheNextOne() {
    add(3);
    LogSegment unknown = blank(9, BYTES);
    unknown.number = 4;
    write(unknown, note(), 4096, SEQUENCE + 30, EPOCH);
    unknown.number = 77;
    others.add(unknown);
    String damage = scan().damageAfter(SEQUENCE, END);
    assertTrue(String.valueOf(damage).contains("offset 4096 of segment 4 (store.log9)"), damage);
    assertEquals(77, unknown.number);
    add(4);
    assertNull(scan().damageAfter(SEQUENCE, END));
  }

  // ---------------------------------------------------------------- of one number

  @Test
  void ofTwoSegmentsThatWithMoreRecordsIsWholer() {
    LogSegment one = add(3);
    LogSegment other = add(4);
    StoreHeader header = header(false);
    write(one, note(), 4096, 50, EPOCH);
    assertTrue(LogScan.isWholer(header, one, other));
    assertFalse(LogScan.isWholer(header, other, one));
    write(other, note(), 4096, 51, EPOCH);
    assertFalse(LogScan.isWholer(header, one, other));
    assertTrue(LogScan.isWholer(header, other, one));
    write(one, note(), 4096, 51, EPOCH);
    assertFalse(LogScan.isWholer(header, one, other));
    assertFalse(LogScan.isWholer(header, other, one));
    LogSegment old = add(5, EPOCH - 1, 5, BYTES);
    write(old, note(), 4096, 99, EPOCH - 1);
    assertFalse(LogScan.isWholer(header, old, other));
    assertTrue(LogScan.isWholer(header, other, old));
    LogSegment unknown = blank(6, BYTES);
    unknown.number = 6;
    write(unknown, note(), 4096, 99, EPOCH);
    assertFalse(LogScan.isWholer(header, unknown, other));
  }

  // ---------------------------------------------------------------- where the log goes on

  private static LogRecord.Header record(int kind, long sequence, int epoch) {
    return new LogRecord.Header(1, sequence, epoch, kind, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({"1, 101, 5, true", "1, 102, 5, false", "1, 100, 5, false", "1, 102, 4, true"})
  void theRecordAfterTheLastOneOfTheCheckpointFollows(
      int kind, long sequence, int epoch, boolean isRight) {
    LogSegment segment = add(2);
    assertEquals(
        isRight
            ? null
            : "its header says that record 101 follows at offset 4096 of segment 2 of its log"
                + " (store.log2), but record %d is there".formatted(sequence),
        LogScan.contradiction(header(false), segment, record(kind, sequence, epoch)));
  }

  @Test
  void noRecordOrAMarkMayBeThere() {
    LogSegment segment = add(2);
    assertNull(LogScan.contradiction(header(false), segment, null));
    assertNull(LogScan.contradiction(header(false), segment, record(LogRecord.MARK, 100, EPOCH)));
    LogSegment unknown = blank(7, BYTES);
    assertNull(LogScan.contradiction(header(false), unknown, null));
  }

  @ParameterizedTest
  @CsvSource({"4", "6"})
  void theSegmentIsOfTheEpochOfTheHeader(int epoch) {
    assertEquals(
        "its header is of epoch 5, but segment 2 of its log (store.log2), where that goes on, is of"
            + " epoch %d".formatted(epoch),
        LogScan.contradiction(header(false), add(2, epoch, 2, BYTES), null));
  }
}
