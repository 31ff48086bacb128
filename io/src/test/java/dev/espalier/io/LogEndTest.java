// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a log, call by call: what it writes and forces, and in which order. */
class LogEndTest {
  private static final long STORE_ID = 77;
  private static final int EPOCH = 5;
  private static final int SEGMENT_BYTES = 64 << 10;
  private static final int LARGE_BYTES = 4 << 20;

  /** Of the segment with which each log begins, whose file is the first. */
  private static final long SEGMENT = 3;

  private static final long SEQUENCE = 100;
  private static final long CHECKPOINT = 7;
  private static final int HEADER = LogSegment.HEADER_BYTES;

  /** Bytes of the record of a removal. */
  private static final int DELETE_BYTES = 48;

  private final LogCalls files = new LogCalls(DiskTrials.disk(1));
  private final StoreCondition condition = new StoreCondition(LogCalls.STORE, "a test", false);
  private @Nullable LogEnd open;

  @AfterEach
  void close() {
    LogEnd end = open;
    if (end != null) {
      end.hold();
      end.close();
    }
  }

  private LogEnd begin() {
    return begin(SEGMENT_BYTES, false, true);
  }

  private LogEnd begin(int segmentBytes, boolean endsBlocks, boolean tellsForces) {
    LogIdentity identity =
        new LogIdentity(
            files, LogCalls.STORE, STORE_ID, EPOCH, segmentBytes, endsBlocks, tellsForces);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    LogEnd end = new LogEnd(identity, condition, segments, SEGMENT, SEQUENCE, CHECKPOINT);
    open = end;
    files.calls();
    return end;
  }

  /** Begins without places, for one thread. */
  private LogEnd hold(int segmentBytes, boolean endsBlocks) {
    LogEnd end = begin(segmentBytes, endsBlocks, true);
    end.hold();
    return end;
  }

  private static LogRecord delete(long key) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.BATCH);
    record.delete(1, key);
    return record;
  }

  /** Returns a record that takes a number of bytes in the log. */
  private static LogRecord note(int logBytes) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.NOTE);
    record.note(new byte[logBytes - LogRecord.HEADER_BYTES - 1]);
    assertEquals(logBytes, record.logBytes());
    return record;
  }

  private static long append(LogEnd end, LogRecord record) {
    return end.append(record, CHECKPOINT, SEQUENCE, end::startWrite);
  }

  private static long force(LogEnd end) {
    LogEnd.Force force = end.beginForce();
    force.run();
    return force.end();
  }

  private LogRecord.@Nullable Header record(int file, long segment, int offset) {
    return files.record(file, STORE_ID, segment, offset);
  }

  private void assertRecord(int file, int offset, long sequence, int kind, long forced) {
    LogRecord.Header record = record(file, SEGMENT - 1 + file, offset);
    assertNotNull(record, "at " + offset);
    assertEquals(sequence, record.sequence());
    assertEquals(kind, record.kind());
    assertEquals(EPOCH, record.epoch());
    assertEquals(CHECKPOINT, record.checkpoint());
    assertEquals(forced, record.forced());
  }

  // ---------------------------------------------------------------- begin

  @Test
  void aLogBeginsWithAFirstBlockThatIsSafe() {
    LogIdentity identity =
        new LogIdentity(files, LogCalls.STORE, STORE_ID, EPOCH, SEGMENT_BYTES, false, true);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    LogEnd end = new LogEnd(identity, condition, segments, SEGMENT, SEQUENCE, CHECKPOINT);
    open = end;
    assertEquals(
        List.of(
            "OPEN log1 CREATE",
            "GROW log1 65536",
            "WRITE log1 0 65536",
            "FINISH log1",
            "FORCE log1",
            "FORCE_NAMES log1",
            "WRITE log1 0 4096",
            "FINISH log1",
            "FORCE log1"),
        files.calls());
    assertEquals(
        new LogSegment.Header(STORE_ID, SEGMENT, EPOCH, SEQUENCE + 1, CHECKPOINT, SEGMENT_BYTES),
        end.current().header());
    assertEquals(SEGMENT, end.current().number);
    assertEquals(SEQUENCE, end.appended());
    assertEquals(0, end.appendedBytes());
    assertEquals(new Log.Position(SEGMENT, HEADER), end.position());
    assertTrue(end.isForced(SEQUENCE));
    assertFalse(end.isForced(SEQUENCE - 1));
    assertTrue(end.isBeginningForced());
    assertFalse(end.isInRecord());
    assertTrue(end.places.areOpen());
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"OPEN", "WRITE", "FINISH", "FORCE"})
  void aLogThatCanNotBeginClosesItsSegment(Kind kind) {
    LogIdentity identity =
        new LogIdentity(files, LogCalls.STORE, STORE_ID, EPOCH, SEGMENT_BYTES, false, true);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    if (kind != Kind.OPEN) {
      files.before(kind, () -> {}); // That is when the segment is made.
    }
    files.fail(kind, Errno.EIO);
    assertThrows(
        PageFileException.class,
        () -> new LogEnd(identity, condition, segments, SEGMENT, SEQUENCE, CHECKPOINT));
    assertEquals(kind == Kind.OPEN ? "OPEN log1 CREATE" : "CLOSE log1", files.calls().getLast());
  }

  @Test
  void aSegmentThatWasUsedBeforeIsBegunAnew() {
    LogIdentity identity =
        new LogIdentity(files, LogCalls.STORE, STORE_ID, EPOCH, SEGMENT_BYTES, false, true);
    LogSegment old =
        LogSegment.create(files, LogFiles.path(LogCalls.STORE, 9), SEGMENT_BYTES + 4096);
    old.number = 1;
    old.recordHeaderBytes = LogRecord.HEADER_BYTES_BEFORE;
    files.calls();
    LogSegments segments = new LogSegments(identity, List.of(), List.of(old), 1);
    LogEnd end = new LogEnd(identity, condition, segments, SEGMENT, SEQUENCE, CHECKPOINT);
    open = end;
    assertEquals(List.of("WRITE log9 0 4096", "FINISH log9", "FORCE log9"), files.calls());
    assertEquals(SEGMENT, old.number);
    assertEquals(LogRecord.HEADER_BYTES, old.recordHeaderBytes);
    long most = SEGMENT_BYTES + 4096 - HEADER - LogRecord.END_BYTES;
    assertTrue(end.has(most));
    assertFalse(end.has(most + 1));
  }

  // ---------------------------------------------------------------- places

  @ParameterizedTest
  @CsvSource({"65536, false, 61392", "65536, true, 57344", "4194304, false, 1048576"})
  void placesAreThereForAllThatTheSegmentAndTheBufferHaveRoomFor(
      int segmentBytes, boolean endsBlocks, long most) {
    LogEnd end = begin(segmentBytes, endsBlocks, true);
    assertTrue(end.has(most));
    assertFalse(end.has(most + 1));
    end.hold();
    assertFalse(end.has(1));
    assertFalse(end.places.areOpen());
    end.show();
    assertTrue(end.has(most));
  }

  @Test
  void threadsAppendByThemselvesAndWhatTheyHaveTakenCountsWhenPlacesAreClosed() {
    LogEnd end = begin();
    assertEquals(SEQUENCE + 1, end.tryAppendSet(1, 11, 12, CHECKPOINT, SEQUENCE));
    assertEquals(SEQUENCE + 2, end.tryAppend(delete(13), CHECKPOINT, SEQUENCE - 3));
    assertEquals(SEQUENCE + 3, end.tryAppendSet(1, 14, 15, CHECKPOINT, SEQUENCE + 1));
    int bytes = 2 * SetRecord.BYTES + DELETE_BYTES;
    assertEquals(SEQUENCE, end.appended());
    assertEquals(0, end.appendedBytes());
    assertEquals(SEQUENCE + 3, end.appendedAbout());
    assertEquals(bytes, end.appendedBytesAbout());
    end.hold();
    for (int times = 0; times < 2; times++) {
      assertEquals(SEQUENCE + 3, end.appended());
      assertEquals(bytes, end.appendedBytes());
      assertEquals(SEQUENCE + 3, end.appendedAbout());
      assertEquals(bytes, end.appendedBytesAbout());
      assertEquals(new Log.Position(SEGMENT, HEADER + bytes), end.position());
      end.hold(); // A second time, it does nothing.
    }
    end.show();
    assertEquals(SEQUENCE + 3, end.appendedAbout());
    assertEquals(bytes, end.appendedBytesAbout());
    assertEquals(SEQUENCE + 4, end.tryAppend(delete(16), CHECKPOINT, SEQUENCE));
    end.hold();
    assertEquals(SEQUENCE + 4, force(end));
    assertRecord(1, HEADER, SEQUENCE + 1, LogRecord.BATCH, SEQUENCE);
    assertRecord(1, HEADER + SetRecord.BYTES, SEQUENCE + 2, LogRecord.BATCH, SEQUENCE - 3);
    assertRecord(
        1, HEADER + SetRecord.BYTES + DELETE_BYTES, SEQUENCE + 3, LogRecord.BATCH, SEQUENCE + 1);
    assertRecord(1, HEADER + bytes, SEQUENCE + 4, LogRecord.BATCH, SEQUENCE);
    int payload = HEADER + LogRecord.HEADER_BYTES + LogRecord.OPERATION_BYTES;
    assertEquals(11, LogRecord.longAt(files.contents(1), payload));
    assertEquals(13, LogRecord.longAt(files.contents(1), payload + SetRecord.BYTES));
    assertEquals(16, LogRecord.longAt(files.contents(1), payload + bytes));
  }

  @Test
  void nothingIsAppendedWithoutAPlace() {
    LogEnd end = begin();
    end.hold();
    assertEquals(LogPlaces.NONE, end.tryAppendSet(1, 11, 12, CHECKPOINT, SEQUENCE));
    assertEquals(LogPlaces.NONE, end.tryAppend(delete(13), CHECKPOINT, SEQUENCE));
    end.show();
    int left = SEGMENT_BYTES - HEADER - LogRecord.END_BYTES;
    assertEquals(SEQUENCE + 1, end.tryAppend(note(left - 32), CHECKPOINT, SEQUENCE));
    assertEquals(LogPlaces.NONE, end.tryAppendSet(1, 11, 12, CHECKPOINT, SEQUENCE));
    assertEquals(LogPlaces.NONE, end.tryAppend(delete(13), CHECKPOINT, SEQUENCE));
    assertEquals(SEQUENCE + 2, end.tryAppend(note(32), CHECKPOINT, SEQUENCE));
    assertFalse(end.has(1));
    end.hold(); // Which would wait forever for a thread that had not left its place.
    assertEquals(SEQUENCE + 2, end.appended());
    assertEquals(left, end.appendedBytes());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRecordTellsWhatWasForcedOrAllBeforeIt(boolean tellsForces) {
    LogEnd end = begin(SEGMENT_BYTES, false, tellsForces);
    end.tryAppendSet(1, 11, 12, CHECKPOINT, SEQUENCE - 9);
    end.tryAppend(delete(13), CHECKPOINT, SEQUENCE - 9);
    end.hold();
    end.appendSet(1, 11, 12, CHECKPOINT, SEQUENCE - 9);
    append(end, delete(13));
    force(end);
    int[] bytes = {SetRecord.BYTES, DELETE_BYTES, SetRecord.BYTES, DELETE_BYTES};
    long[] forced = {SEQUENCE - 9, SEQUENCE - 9, SEQUENCE - 9, SEQUENCE};
    for (int i = 0, at = HEADER; i < bytes.length; at += bytes[i], i++) {
      LogRecord.Header record = record(1, SEGMENT, at);
      assertNotNull(record);
      assertEquals(tellsForces ? forced[i] : SEQUENCE + i, record.forced());
    }
  }

  // ---------------------------------------------------------------- append

  @Test
  void recordsOfOneThreadFollowOneAnother() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    assertEquals(SEQUENCE + 1, append(end, delete(11)));
    assertEquals(DELETE_BYTES, end.appendedBytes());
    assertEquals(SEQUENCE + 1, end.appended());
    assertEquals(SEQUENCE + 2, end.appendSet(1, 12, 13, CHECKPOINT, SEQUENCE));
    assertEquals(DELETE_BYTES + SetRecord.BYTES, end.appendedBytes());
    assertEquals(SEQUENCE + 2, end.appended());
    assertEquals(SEQUENCE + 3, end.skip());
    assertEquals(SEQUENCE + 3, end.appended());
    assertEquals(SEQUENCE + 4, append(end, delete(14)));
    assertEquals(
        new Log.Position(SEGMENT, HEADER + 2 * DELETE_BYTES + SetRecord.BYTES), end.position());
    assertFalse(end.isForced(SEQUENCE));
    assertEquals(List.of(), files.calls());
    assertEquals(SEQUENCE + 4, force(end));
    assertEquals(List.of("WRITE log1 4096 4096", "FINISH log1", "FORCE log1"), files.calls());
    assertTrue(end.isForced(SEQUENCE + 4));
    assertRecord(1, HEADER, SEQUENCE + 1, LogRecord.BATCH, SEQUENCE);
    assertRecord(1, HEADER + DELETE_BYTES, SEQUENCE + 2, LogRecord.BATCH, SEQUENCE);
    int third = HEADER + DELETE_BYTES + SetRecord.BYTES;
    assertRecord(1, third, SEQUENCE + 4, LogRecord.BATCH, SEQUENCE);
  }

  @Test
  void aLargeRecordIsWrittenInPieces() {
    LogEnd end = hold(LARGE_BYTES, false);
    LogRecord large = note((3 << 20) + 64);
    boolean[] wasIn = {false};
    end.append(
        large,
        CHECKPOINT,
        SEQUENCE,
        () -> {
          wasIn[0] = end.isInRecord();
          assertFalse(end.isForced(SEQUENCE));
          end.show();
          assertFalse(end.places.areOpen());
          end.startWrite();
        });
    assertTrue(wasIn[0]);
    assertFalse(end.isInRecord());
    assertEquals(
        List.of(
            "WRITE log1 4096 1048576",
            "FINISH log1",
            "WRITE log1 1052672 1048576",
            "FINISH log1",
            "WRITE log1 2101248 1048576"),
        files.calls());
    assertFalse(end.isForced(SEQUENCE + 1));
    assertEquals(SEQUENCE + 1, force(end));
    assertEquals(
        List.of("FINISH log1", "WRITE log1 3149824 4096", "FINISH log1", "FORCE log1"),
        files.calls());
    assertRecord(1, HEADER, SEQUENCE + 1, LogRecord.NOTE, SEQUENCE);
    end.show();
    assertTrue(end.places.areOpen());
  }

  // ---------------------------------------------------------------- room

  @ParameterizedTest
  @CsvSource({"false, 61392", "true, 57344"})
  void whatIsBeyondTheSegmentLeavesRoomForTheLastRecord(boolean endsBlocks, int most) {
    LogEnd end = hold(SEGMENT_BYTES, endsBlocks);
    assertFalse(end.isBeyondSegment(most));
    assertTrue(end.isBeyondSegment(most + 1));
    append(end, delete(1));
    int used = endsBlocks ? LogBuffer.BLOCK_BYTES : DELETE_BYTES; // A force would end the block.
    assertFalse(end.isBeyondSegment(most - used));
    assertTrue(end.isBeyondSegment(most - used + 1));
    int room = LogBuffer.BYTES - DELETE_BYTES;
    assertTrue(end.isInBuffer(room));
    assertFalse(end.isInBuffer(room + 1));
  }

  @Test
  void theNextSegmentIsNamedByTheLastRecordOfTheOneBeforeAndBothAreForcedInOrder() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    append(end, delete(11));
    end.nextSegment(100, CHECKPOINT, SEQUENCE);
    assertEquals(
        List.of(
            "OPEN log2 CREATE",
            "GROW log2 65536",
            "WRITE log2 0 65536",
            "FINISH log2",
            "FORCE log2",
            "FORCE_NAMES log2",
            "OPEN log3 CREATE",
            "GROW log3 65536",
            "WRITE log3 0 65536",
            "FINISH log3",
            "FORCE log3",
            "FORCE_NAMES log3",
            "WRITE log1 4096 4096"),
        files.calls());
    assertEquals(new Log.Position(SEGMENT + 1, HEADER), end.position());
    assertEquals(SEQUENCE + 1, end.appended());
    assertEquals(DELETE_BYTES, end.appendedBytes());
    assertFalse(end.isBeginningForced());
    append(end, delete(12));
    assertEquals(SEQUENCE + 2, force(end));
    assertEquals(
        List.of("FINISH log1", "WRITE log2 0 8192", "FINISH log2", "FORCE log1", "FORCE log2"),
        files.calls());
    assertTrue(end.isBeginningForced());
    assertRecord(1, HEADER + DELETE_BYTES, SEQUENCE + 2, LogRecord.END, SEQUENCE);
    int payload = HEADER + DELETE_BYTES + LogRecord.HEADER_BYTES;
    assertEquals(2, LogRecord.intAt(files.contents(1), payload));
    assertEquals(
        new LogSegment.Header(
            STORE_ID, SEGMENT + 1, EPOCH, SEQUENCE + 2, CHECKPOINT, SEGMENT_BYTES),
        end.current().header());
    assertRecord(2, HEADER, SEQUENCE + 2, LogRecord.BATCH, SEQUENCE);
    append(end, delete(13));
    files.calls();
    force(end);
    assertEquals(List.of("WRITE log2 4096 4096", "FINISH log2", "FORCE log2"), files.calls());
  }

  @Test
  void allIsForcedOnlyWhenTheNextSegmentHasBegun() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    force(end);
    end.nextSegment(100, CHECKPOINT, SEQUENCE);
    assertFalse(end.isForced(SEQUENCE));
    end.finishWrite();
    assertFalse(end.isForced(SEQUENCE)); // Its first block is not.
    force(end);
    assertTrue(end.isForced(SEQUENCE));
    end.startWrite();
    assertFalse(end.isForced(SEQUENCE));
    end.finishWrite();
    assertTrue(end.isForced(SEQUENCE));
  }

  /** The last record of a segment has to go into the buffer in one piece. */
  @ParameterizedTest
  @CsvSource({"48, false", "32, true"})
  void theBufferIsWrittenBeforeTheLastRecordIfThatDoesNotFit(int room, boolean isWritten) {
    LogEnd end = hold(LARGE_BYTES, false);
    append(end, note(LogBuffer.BYTES - room));
    end.nextSegment(100, CHECKPOINT, SEQUENCE);
    List<String> writes =
        files.calls().stream().filter(call -> call.startsWith("WRITE log1")).toList();
    assertEquals(
        isWritten
            ? List.of("WRITE log1 4096 1048576", "WRITE log1 1048576 8192")
            : List.of("WRITE log1 4096 1048576"),
        writes);
    force(end);
    assertRecord(1, HEADER + LogBuffer.BYTES - room, SEQUENCE + 2, LogRecord.END, SEQUENCE);
  }

  @Test
  void nothingHasChangedIfThereIsNoRoomForAnotherSegment() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    append(end, delete(11));
    for (int made = 0; made < 2; made++) {
      for (int i = 0; i < made; i++) {
        files.before(Kind.GROW, () -> {});
      }
      files.fail(Kind.GROW, Errno.ENOSPC);
      assertThrows(PageFileException.class, () -> end.nextSegment(100, CHECKPOINT, SEQUENCE));
      assertEquals(new Log.Position(SEGMENT, HEADER + DELETE_BYTES), end.position());
      assertTrue(end.isBeginningForced());
      assertFalse(condition.hasFailed());
    }
    force(end);
    assertNull(record(1, SEGMENT, HEADER + DELETE_BYTES));
    assertEquals(SEQUENCE + 2, append(end, delete(12)));
  }

  // ---------------------------------------------------------------- force

  @Test
  void aForceIsOfWhatWasAppendedBeforeItBegan() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    append(end, delete(11));
    LogEnd.Force force = end.beginForce();
    append(end, delete(12));
    force.run();
    assertEquals(SEQUENCE + 1, force.end());
    assertNull(record(1, SEGMENT, HEADER + DELETE_BYTES));
    assertFalse(end.isForced(SEQUENCE + 1));
    assertEquals(SEQUENCE + 2, force(end));
    assertRecord(1, HEADER + DELETE_BYTES, SEQUENCE + 2, LogRecord.BATCH, SEQUENCE);
  }

  @Test
  void aSegmentThatIsBegunDuringAForceIsForcedByTheNextOne() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    append(end, delete(11));
    LogEnd.Force force = end.beginForce();
    force.run();
    force.end();
    end.nextSegment(100, CHECKPOINT, SEQUENCE);
    files.calls();
    LogEnd.Force second = end.beginForce();
    assertEquals(List.of("FINISH log1"), files.calls());
    second.run();
    second.end();
    assertEquals(
        List.of("WRITE log2 0 4096", "FINISH log2", "FORCE log1", "FORCE log2"), files.calls());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereSectorsMayTearNoBlockIsWrittenAgain(boolean endsBlocks) {
    LogEnd end = hold(SEGMENT_BYTES, endsBlocks);
    append(end, delete(11));
    force(end);
    assertEquals(
        new Log.Position(SEGMENT, HEADER + (endsBlocks ? 4096 : DELETE_BYTES)), end.position());
    append(end, delete(12));
    files.calls();
    force(end);
    assertEquals("WRITE log1 " + (endsBlocks ? 8192 : 4096) + " 4096", files.calls().getFirst());
  }

  // ---------------------------------------------------------------- mark

  @Test
  void aMarkIsWrittenBehindTheLastRecordAndNotForced() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    append(end, delete(11));
    force(end);
    files.calls();
    end.mark(CHECKPOINT, SEQUENCE + 1);
    assertEquals(List.of("WRITE log1 4096 4096", "FINISH log1"), files.calls());
    assertRecord(1, HEADER + DELETE_BYTES, SEQUENCE + 1, LogRecord.MARK, SEQUENCE + 1);
    assertEquals(new Log.Position(SEGMENT, HEADER + DELETE_BYTES), end.position());
    assertEquals(SEQUENCE + 1, end.appended());
  }

  /** A mark has 32 bytes. */
  @ParameterizedTest
  @CsvSource({"32, true", "16, false"})
  void aMarkIsLeftOutIfItDoesNotFitIntoTheSegment(int room, boolean isWritten) {
    LogEnd end = hold(SEGMENT_BYTES, false);
    append(end, note(SEGMENT_BYTES - HEADER - LogRecord.END_BYTES - room));
    force(end);
    files.calls();
    end.mark(CHECKPOINT, SEQUENCE + 1);
    assertEquals(isWritten, !files.calls().isEmpty());
  }

  // ---------------------------------------------------------------- segments

  @Test
  void segmentsThatNoCheckpointNeedsAreUsedAgainOrGoneAndNotForced() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    for (int i = 0; i < 3; i++) {
      end.nextSegment(100, CHECKPOINT, SEQUENCE);
    }
    assertEquals(5, end.allSegments().size());
    assertEquals(end.current(), end.allSegments().getLast());
    end.finishWrite();
    files.calls();
    List<LogSegment> surplus = end.release(SEGMENT + 2);
    assertEquals(List.of(SEGMENT + 1), surplus.stream().map(segment -> segment.number).toList());
    assertEquals(4, end.allSegments().size());
    force(end);
    assertEquals(
        List.of("WRITE log4 0 4096", "FINISH log4", "FORCE log3", "FORCE log4"), files.calls());
    surplus.forEach(segment -> segment.file.close());
  }

  @Test
  void closingClosesAllSegmentsAndWritesNothing() {
    LogEnd end = hold(SEGMENT_BYTES, false);
    end.nextSegment(100, CHECKPOINT, SEQUENCE);
    append(end, delete(11));
    end.finishWrite();
    files.calls();
    open = null;
    end.close();
    assertEquals(
        List.of("CLOSE log1", "CLOSE log2", "CLOSE log3"),
        files.calls().stream().sorted().toList());
  }
}
