// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the end of a log does when the device fails, has no room, or an error comes in between. */
class LogEndFailuresTest {
  private static final long STORE_ID = 77;
  private static final int SEGMENT_BYTES = 4 << 20;
  private static final int HEADER = LogSegment.HEADER_BYTES;

  private final LogCalls files = new LogCalls(DiskTrials.disk(1));
  private final StoreCondition condition = new StoreCondition(LogCalls.STORE, "a test", false);
  private LogEnd end;
  private boolean isClosed;

  @BeforeEach
  void begin() {
    LogIdentity identity =
        new LogIdentity(files, LogCalls.STORE, STORE_ID, 5, SEGMENT_BYTES, false, true);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    end = new LogEnd(identity, condition, segments, 3, 100, 7);
    end.hold();
    files.calls();
  }

  @AfterEach
  void close() {
    if (!isClosed) {
      end.close();
    }
  }

  private static LogRecord delete(long key) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.BATCH);
    record.delete(1, key);
    return record;
  }

  private long append(LogRecord record) {
    return end.append(record, 7, 100, end::startWrite);
  }

  private long force() {
    LogEnd.Force force = end.beginForce();
    force.run();
    return force.end();
  }

  private static PageFileException assertFails(Executable action) {
    return assertThrows(PageFileException.class, action);
  }

  /** Nothing is written any more. */
  private void assertEnded() {
    assertTrue(condition.hasFailed());
    files.calls();
    String message = assertFails(end::checkGood).getMessage();
    assertTrue(message.startsWith("/simulated/store: can't be made durable: "), message);
    assertFails(end::startWrite);
    assertEquals(List.of(), files.calls());
  }

  // ---------------------------------------------------------------- no room

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"WRITE", "FINISH"})
  void whatFindsNoRoomIsWrittenAgainBeforeAnythingElse(Kind kind) {
    append(delete(11));
    files.fail(kind, Errno.ENOSPC);
    if (kind == Kind.WRITE) {
      assertFails(end::startWrite);
    } else {
      end.startWrite();
      assertFails(end::finishWrite);
    }
    assertFalse(condition.hasFailed());
    append(delete(12));
    files.fail(Kind.WRITE, Errno.ENOSPC);
    assertFalse(end.tryFinishWrite());
    files.calls();
    assertTrue(end.tryFinishWrite());
    assertEquals(List.of("WRITE log1 4096 4096", "FINISH log1"), files.calls());
    assertNotNull(files.record(1, STORE_ID, 3, HEADER));
    assertNull(files.record(1, STORE_ID, 3, HEADER + 48));
    end.startWrite();
    assertEquals(List.of("WRITE log1 4096 4096"), files.calls());
    end.finishWrite();
    assertEquals(List.of("FINISH log1"), files.calls());
    assertTrue(end.tryFinishWrite());
    assertEquals(List.of(), files.calls());
    assertEquals(102, force());
    assertFalse(condition.hasFailed());
  }

  @Test
  void aForceThatFindsNoRoomIsMadeAgain() {
    append(delete(11));
    files.fail(Kind.FINISH, Errno.ENOSPC);
    LogEnd.Force force = end.beginForce();
    force.run();
    assertEquals(
        List.of("WRITE log1 4096 4096", "FINISH log1"), files.calls()); // It forced nothing.
    assertFails(force::end);
    assertFalse(condition.hasFailed());
    assertEquals(101, force());
    assertEquals(
        List.of(
            "WRITE log1 4096 4096",
            "FINISH log1",
            "WRITE log1 4096 4096",
            "FINISH log1",
            "FORCE log1"),
        files.calls());
    assertNotNull(files.record(1, STORE_ID, 3, HEADER));
  }

  /** Nothing more can be appended behind the last record of a segment. */
  @Test
  void theNextSegmentBeginsThoughTheLastRecordFindsNoRoom() {
    append(delete(11));
    end.segments.ensureReady(100, 0);
    end.segments.ensureSpare();
    files.fail(Kind.WRITE, Errno.ENOSPC);
    end.nextSegment(100, 7, 100);
    assertEquals(new Log.Position(4, HEADER), end.position());
    assertFalse(condition.hasFailed());
    append(delete(12));
    files.calls();
    assertEquals(102, force());
    assertEquals(
        List.of(
            "WRITE log1 4096 4096",
            "FINISH log1",
            "WRITE log2 0 8192",
            "FINISH log2",
            "FORCE log1",
            "FORCE log2"),
        files.calls());
  }

  /** Else the last record would take the place of what was not written. */
  @Test
  void theNextSegmentDoesNotBeginWhileAnEarlierWriteFindsNoRoom() {
    end.segments.ensureReady(100, 0);
    end.segments.ensureSpare();
    append(delete(11));
    files.fail(Kind.WRITE, Errno.ENOSPC);
    assertFails(end::startWrite);
    append(delete(12));
    Log.Position before = end.position();
    files.fail(Kind.WRITE, Errno.ENOSPC);
    assertFails(() -> end.nextSegment(100, 7, 100));
    assertEquals(before, end.position());
    assertFalse(condition.hasFailed());
    assertEquals(102, force());
    assertNotNull(files.record(1, STORE_ID, 3, HEADER));
    assertNotNull(files.record(1, STORE_ID, 3, HEADER + 48));
    assertNull(files.record(1, STORE_ID, 3, HEADER + 96));
  }

  @Test
  void theNextSegmentDoesNotBeginIfTheLastRecordCanNotBeWritten() {
    append(delete(11));
    end.segments.ensureReady(100, 0);
    end.segments.ensureSpare();
    files.fail(Kind.WRITE, Errno.EIO);
    assertFails(() -> end.nextSegment(100, 7, 100));
    assertEquals(3, end.current().number);
    assertEnded();
  }

  @Test
  void aMarkThatFindsNoRoomIsLeftOut() {
    force();
    files.fail(Kind.WRITE, Errno.ENOSPC);
    end.mark(7, 100);
    assertFalse(condition.hasFailed());
    assertEquals(101, append(delete(11)));
    assertEquals(101, force());
  }

  // ---------------------------------------------------------------- failures

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"WRITE", "FINISH"})
  void aFailedWriteEndsTheLog(Kind kind) {
    append(delete(11));
    files.fail(kind, Errno.EIO);
    PageFileException failed =
        assertFails(
            () -> {
              end.startWrite();
              end.finishWrite();
            });
    assertEquals("/simulated/store: " + kind + " failed as ordered", failed.getMessage());
    assertEnded();
    PageFileException later = assertFails(end::checkGood);
    assertEquals(
        "/simulated/store: can't be made durable: " + failed.getMessage(), later.getMessage());
    assertSame(failed, later.getCause());
    files.calls();
    end.finishWrite(); // Nothing is under way.
    assertEquals(List.of(), files.calls());
  }

  @Test
  void aFailureThatIsNotRefusedIsThrownWhereOneLooksWhetherThereIsRoom() {
    append(delete(11));
    end.startWrite();
    files.fail(Kind.FINISH, Errno.EIO);
    assertFails(end::tryFinishWrite);
    assertEnded();
  }

  @ParameterizedTest
  @ValueSource(ints = {Errno.EIO, Errno.ENOSPC})
  void aFailedForceEndsTheLogWhateverTheReason(int errno) {
    append(delete(11));
    files.fail(Kind.FORCE, errno);
    LogEnd.Force force = end.beginForce();
    force.run();
    PageFileException failed = assertFails(force::end);
    assertEquals("/simulated/store: FORCE failed as ordered", failed.getMessage());
    assertEnded();
  }

  @Test
  void aForceWhoseWriteFailsEndsTheLog() {
    append(delete(11));
    files.fail(Kind.WRITE, Errno.EIO);
    LogEnd.Force force = end.beginForce();
    force.run();
    assertFails(force::end);
    assertEnded();
  }

  @Test
  void segmentsAreToBeForcedStillAfterAForceThatHasFailed() {
    end.nextSegment(100, 7, 100);
    files.before(Kind.FORCE, () -> {});
    files.fail(Kind.FORCE, Errno.EIO);
    LogEnd.Force force = end.beginForce();
    force.run();
    assertFails(force::end);
    assertFalse(end.isBeginningForced());
  }

  @Test
  void aFailedMarkEndsTheLog() {
    files.fail(Kind.WRITE, Errno.EIO);
    assertFails(() -> end.mark(7, 100));
    assertEnded();
  }

  @Test
  void aRecordThatIsHalfInTheBufferEndsTheLog() {
    LogRecord large = new LogRecord();
    large.begin(LogRecord.NOTE);
    large.note(new byte[2 << 20]);
    PageFileException failure = new PageFileException(LogCalls.STORE, "says a test", Errno.ENOSPC);
    PageFileException thrown =
        assertFails(
            () ->
                end.append(
                    large,
                    7,
                    100,
                    () -> {
                      throw failure;
                    }));
    assertSame(failure, thrown);
    assertFalse(end.isInRecord());
    assertEquals(100, end.appended());
    assertEnded();
  }

  /** What befalls the pages is no reason not to make durable what was logged. */
  @Test
  void aFailureOfTheStoreAloneDoesNotEndTheLog() {
    condition.noteFailure(new PageFileException(LogCalls.STORE, "says a test", Errno.EIO));
    append(delete(11));
    assertEquals(101, force());
    end.checkGood();
  }

  // ---------------------------------------------------------------- errors

  private static final Error ERROR = new StackOverflowError("says a test");

  private void assertEndedBy(Executable action) {
    assertSame(ERROR, assertThrows(Error.class, action));
    assertEnded();
    assertFails(end::finishWrite);
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"WRITE", "FINISH"})
  void anErrorInAWriteEndsTheLog(Kind kind) {
    append(delete(11));
    files.fail(kind, ERROR);
    assertEndedBy(
        () -> {
          end.startWrite();
          end.finishWrite();
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"WRITE", "FORCE"})
  void anErrorInAForceEndsTheLog(Kind kind) {
    append(delete(11));
    files.fail(kind, ERROR);
    LogEnd.Force force = end.beginForce();
    assertEndedBy(force::run);
  }

  @Test
  void anErrorInTheMiddleOfARecordEndsTheLog() {
    LogRecord large = new LogRecord();
    large.begin(LogRecord.NOTE);
    large.note(new byte[2 << 20]);
    assertEndedBy(
        () ->
            end.append(
                large,
                7,
                100,
                () -> {
                  throw ERROR;
                }));
    assertFalse(end.isInRecord());
  }

  @Test
  void anErrorWhereTheNextSegmentBeginsEndsTheLog() {
    end.segments.ensureReady(100, 0);
    end.segments.ensureSpare();
    files.fail(Kind.WRITE, ERROR);
    assertEndedBy(() -> end.nextSegment(100, 7, 100));
  }

  /** Whoever began it may have been stopped by an error, and nobody knows what was written. */
  @Test
  void aForceWhoseEndWasNotNotedEndsTheLog() {
    append(delete(11));
    end.beginForce().run();
    files.calls();
    PageFileException failed = assertFails(end::finishWrite);
    assertEquals(
        "/simulated/store: can't be made durable: /simulated/store: writing failed:"
            + " java.lang.IllegalStateException: an error came in the middle",
        failed.getMessage());
    assertEnded();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailureWhileAPlaceIsFilledLeavesTheStoreHalfway(boolean isSet) {
    end.show();
    end.close(); // And with it the memory of the places.
    isClosed = true;
    assertThrows(
        IllegalStateException.class,
        () -> {
          if (isSet) {
            end.tryAppendSet(1, 2, 3, 7, 100);
          } else {
            end.tryAppend(delete(1), 7, 100);
          }
        });
    assertTrue(condition.isHalfway());
    end.places.close(); // Which waits for those that have not left.
  }
}
