// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log as its users have it: who waits for what, and when the device is asked for what. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogTest {
  private static final long STORE_ID = 77;
  private static final int SEGMENT_BYTES = 64 << 10;
  private static final int LARGE_BYTES = 8 << 20;
  private static final long SEGMENT = 3;
  private static final long SEQUENCE = 100;
  private static final long CHECKPOINT = 7;
  private static final int HEADER = LogSegment.HEADER_BYTES;
  private static final int SET = SetRecord.BYTES;

  /** The most bytes of records that fit into the first segment. */
  private static final int ROOM = SEGMENT_BYTES - HEADER - LogRecord.END_BYTES;

  private static final List<String> FORCED =
      List.of("WRITE log1 4096 4096", "FINISH log1", "FORCE log1");

  private final LogCalls files = new LogCalls(DiskTrials.disk(1));
  private final StoreCondition condition = new StoreCondition(LogCalls.STORE, "a test", false);
  private final WriterGate gate = new WriterGate();
  private @Nullable Log open;

  @AfterEach
  void close() {
    Log log = open;
    if (log != null) {
      log.close();
    }
  }

  private Log begin(int segmentBytes, boolean endsBlocks) {
    LogIdentity identity =
        new LogIdentity(files, LogCalls.STORE, STORE_ID, 5, segmentBytes, endsBlocks, true);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    Log log = new Log(identity, condition, segments, SEGMENT, SEQUENCE, CHECKPOINT);
    open = log;
    files.calls();
    return log;
  }

  private Log begin() {
    return begin(SEGMENT_BYTES, false);
  }

  private static LogRecord note(int logBytes) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.NOTE);
    record.note(new byte[logBytes - LogRecord.HEADER_BYTES - 1]);
    assertEquals(logBytes, record.logBytes());
    return record;
  }

  private static long set(Log log) {
    return log.appendSet(1, 2, 3, CHECKPOINT);
  }

  private List<String> writes() {
    return files.calls().stream().filter(call -> call.startsWith("WRITE")).toList();
  }

  private static Thread startAndBlock(Runnable action) {
    Thread thread = Thread.ofPlatform().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  /** A call of the device in which one thread waits until it is released. */
  private final class Held {
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);

    Held(Kind kind) {
      files.before(
          kind,
          () -> {
            begun.countDown();
            Waiting.await(released);
          });
    }

    /** Starts a thread, and waits until it is in the call. */
    Thread start(Runnable action) {
      Thread thread = Thread.ofPlatform().start(action);
      Waiting.await(begun);
      return thread;
    }

    void release() {
      released.countDown();
    }
  }

  // ---------------------------------------------------------------- append

  @Test
  void recordsGetTheirNumbersAndPlacesInOrder() {
    Log log = begin();
    assertEquals(SEQUENCE, log.appended());
    assertEquals(SEQUENCE, log.forced());
    assertEquals(new Log.Position(SEGMENT, HEADER), log.end());
    assertEquals(SEQUENCE + 1, set(log));
    assertEquals(SEQUENCE + 2, log.append(note(64), CHECKPOINT));
    assertEquals(SEQUENCE + 2, log.appendedAbout());
    assertEquals(SET + 64, log.appendedBytesAbout());
    assertEquals(SEQUENCE + 2, log.appended());
    assertEquals(SET + 64, log.appendedBytes());
    assertEquals(new Log.Position(SEGMENT, HEADER + SET + 64), log.end());
    assertEquals(SEQUENCE + 3, log.skip());
    assertEquals(SEQUENCE + 4, set(log));
    assertEquals(SEQUENCE, log.forced());
    assertEquals(0, log.forces());
    assertEquals(List.of(), files.calls());
  }

  @Test
  void recordsAreAppendedWithoutPlacesToo() {
    Log log = begin();
    log.lock.lock();
    try {
      log.end.hold();
      assertEquals(SEQUENCE + 1, set(log)); // Which lets threads append by themselves again.
      assertTrue(log.end.places.areOpen());
      log.end.hold();
      assertEquals(SEQUENCE + 2, log.append(note(64), CHECKPOINT));
      assertTrue(log.end.places.areOpen());
    } finally {
      log.lock.unlock();
    }
    assertEquals(SEQUENCE + 3, set(log));
    log.await(SEQUENCE + 3);
    assertNotNull(files.record(1, STORE_ID, SEGMENT, HEADER + SET + 64));
  }

  @Test
  void whoeverLooksLetsOthersAppendAgain() {
    Log log = begin();
    List<Runnable> looks =
        List.of(
            log::appended,
            log::appendedBytes,
            log::end,
            log::skip,
            log::used,
            log::segments,
            log::prepare,
            () -> log.await(log.appended()),
            () -> log.awaitWithSegment(log.appended()),
            () -> log.mark(CHECKPOINT),
            () -> log.noteDurable(0),
            () -> log.trim(0),
            () -> log.ensureRoom(1, CHECKPOINT),
            () -> log.ensureRoom(gate, 0, 1, CHECKPOINT));
    for (Runnable look : looks) {
      look.run();
      assertFalse(log.lock.isLocked());
      assertTrue(log.end.places.areOpen());
    }
  }

  @Test
  void aRecordThatIsLargerThanTheBufferIsAppendedInPieces() {
    Log log = begin(LARGE_BYTES, false);
    log.ensureRoom(3 << 20, CHECKPOINT);
    assertEquals(SEQUENCE + 1, log.append(note(3 << 20), CHECKPOINT));
    log.ensureRoom(SET, CHECKPOINT);
    assertEquals(SEQUENCE + 2, set(log));
    log.await(SEQUENCE + 2);
    assertNotNull(files.record(1, STORE_ID, SEGMENT, HEADER));
    assertNotNull(files.record(1, STORE_ID, SEGMENT, HEADER + (3 << 20)));
  }

  /** Whoever waits for the device meanwhile is waited for; the buffer is full. */
  @Test
  void aLargeRecordWaitsForTheThreadThatWrites() throws InterruptedException {
    Log log = begin(LARGE_BYTES, false);
    set(log);
    Held force = new Held(Kind.FORCE);
    Thread forcing = force.start(() -> log.await(SEQUENCE + 1));
    Thread looking = startAndBlock(() -> log.await(SEQUENCE + 2)); // First, so it finds half.
    Thread appending = startAndBlock(() -> log.append(note(3 << 20), CHECKPOINT));
    force.release();
    for (Thread thread : List.of(forcing, appending, looking)) {
      thread.join();
    }
    assertEquals(SEQUENCE + 2, log.forced());
    assertNotNull(files.record(1, STORE_ID, SEGMENT, HEADER + SET));
  }

  // ---------------------------------------------------------------- room

  @Test
  void whatFitsIntoTheBufferNeedsNoRoom() {
    Log log = begin(LARGE_BYTES, false);
    log.ensureRoom(LogBuffer.BYTES, CHECKPOINT);
    set(log);
    log.ensureRoom(LogBuffer.BYTES - SET, CHECKPOINT);
    assertEquals(List.of(), files.calls());
    log.ensureRoom(LogBuffer.BYTES - SET + 1, CHECKPOINT);
    assertEquals(List.of("WRITE log1 4096 4096"), files.calls());
    log.ensureRoom(LogBuffer.BYTES - SET, CHECKPOINT); // The last block stays.
    assertEquals(List.of(), files.calls());
  }

  @Test
  void anotherSegmentIsBegunForWhatDoesNotFitIntoThisOne() {
    Log log = begin();
    List<String> taken = new ArrayList<>();
    log.whenSegmentTaken(() -> taken.add("taken"));
    log.ensureRoom(ROOM, CHECKPOINT);
    assertEquals(List.of(), files.calls());
    assertEquals(1, log.used().size());
    assertEquals(List.of(), taken);
    log.ensureRoom(ROOM + 1, CHECKPOINT);
    assertEquals(new Log.Position(SEGMENT + 1, HEADER), log.end());
    assertEquals(List.of("taken"), taken);
    assertEquals(2, log.used().size());
    assertEquals(SEGMENT, log.used().getFirst().number);
    assertEquals(SEGMENT + 1, log.used().getLast().number);
    assertEquals(3, log.segments());
    assertTrue(log.used().getLast().bytes >= HEADER + ROOM + 1 + LogRecord.END_BYTES);
  }

  /** A force before each of them may end a block. */
  @ParameterizedTest
  @CsvSource({"57343, 1", "57344, 1", "57345, 2"})
  void whereForcesEndBlocksRoomIsLookedForEachTime(int bytes, int segments) {
    Log log = begin(SEGMENT_BYTES, true);
    log.ensureRoom(bytes, CHECKPOINT);
    assertEquals(segments, log.used().size());
  }

  @ParameterizedTest
  @CsvSource({
    "false, 61392, 0, 1",
    "false, 61393, 0, 2",
    "false, 61392, 1, 2",
    "true, 53248, 0, 1",
    "true, 53249, 0, 2",
    "true, 53248, 1, 2"
  })
  void thereIsRoomForWhatAllWritersHavePromised(
      boolean endsBlocks, int bytes, int more, int segments) throws InterruptedException {
    Log log = begin(SEGMENT_BYTES, endsBlocks);
    WriterGate two = new WriterGate();
    int first = 30_000;
    long mine = two.enter(WriterGate.promise(1, first));
    Thread.ofPlatform().start(() -> two.enter(WriterGate.promise(1, bytes - first))).join();
    assertTrue(log.ensureRoom(two, two.sum(), more, CHECKPOINT));
    assertEquals(segments, log.used().size());
    assertTrue(mine > 0);
  }

  @Test
  void whatWritersPromiseTogetherHasToFitIntoTheBuffer() {
    Log log = begin(LARGE_BYTES, false);
    int most = LogBuffer.BYTES - LogBuffer.BLOCK_BYTES;
    assertTrue(log.ensureRoom(gate, 0, most, CHECKPOINT));
    log.append(note(4096), CHECKPOINT);
    assertTrue(log.ensureRoom(gate, 0, most, CHECKPOINT));
    assertEquals(List.of(), files.calls());
    log.append(note(64), CHECKPOINT);
    assertTrue(log.ensureRoom(gate, 0, most, CHECKPOINT));
    assertEquals(List.of("WRITE log1 4096 8192"), files.calls());
    log.append(note(4096), CHECKPOINT);
    assertFalse(log.ensureRoom(gate, 0, most + 1, CHECKPOINT));
    assertEquals(List.of(), files.calls());
    assertTrue(log.end.places.areOpen());
  }

  @Test
  void roomIsNotMadeWhileAnotherThreadWrites() throws InterruptedException {
    Log log = begin();
    set(log);
    Held force = new Held(Kind.FORCE);
    Thread forcing = force.start(() -> log.await(SEQUENCE + 1));
    Thread making = startAndBlock(() -> log.ensureRoom(ROOM, CHECKPOINT));
    assertEquals(FORCED, files.calls());
    assertEquals(SEQUENCE + 2, set(log)); // Others append.
    force.release();
    forcing.join();
    making.join();
    assertEquals(2, log.used().size());
  }

  // ---------------------------------------------------------------- segments

  @Test
  void segmentsAreMadeInAdvance() {
    Log log = begin();
    log.prepare();
    assertEquals(3, log.segments());
    assertEquals(1, log.used().size());
    files.calls();
    log.prepare();
    assertEquals(List.of(), files.calls());
    set(log);
    log.ensureRoom(ROOM, CHECKPOINT);
    assertEquals(2, log.used().size());
    assertEquals(List.of("WRITE log1 4096 4096"), writes());
  }

  @Test
  void whatNoCheckpointNeedsIsUsedAgainOrDeleted() {
    Log log = begin();
    for (int i = 0; i < 3; i++) {
      set(log);
      log.ensureRoom(ROOM, CHECKPOINT);
    }
    int used = log.used().size();
    assertEquals(4, used);
    int all = log.segments();
    files.calls();
    log.trim(SEGMENT);
    assertEquals(used, log.used().size());
    log.trim(SEGMENT + 2);
    assertEquals(used - 2, log.used().size());
    assertEquals(SEGMENT + 2, log.used().getFirst().number);
    long deleted = files.calls().stream().filter(call -> call.startsWith("DELETE")).count();
    assertEquals(all - log.segments(), deleted);
    assertTrue(deleted > 0);
  }

  @Test
  void nothingIsTrimmedWhileAWriteFindsNoRoom() {
    Log log = begin();
    log.prepare();
    set(log);
    log.ensureRoom(ROOM, CHECKPOINT);
    int used = log.used().size();
    files.fail(Kind.FINISH, Errno.ENOSPC);
    log.trim(SEGMENT + 1);
    assertEquals(used, log.used().size());
    assertFalse(log.lock.isLocked());
    log.trim(SEGMENT + 1);
    assertEquals(used - 1, log.used().size());
  }

  @Test
  void deletingAndTrimmingAndClosingWaitForTheThreadThatWrites() throws InterruptedException {
    Log log = begin();
    set(log);
    Held force = new Held(Kind.FORCE);
    Thread forcing = force.start(() -> log.await(SEQUENCE + 1));
    Thread trimming = startAndBlock(() -> log.trim(SEGMENT));
    Thread deleting = startAndBlock(log::delete);
    Thread closing = startAndBlock(log::close);
    open = null;
    assertEquals(FORCED, files.calls());
    force.release();
    for (Thread thread : List.of(forcing, trimming, deleting, closing)) {
      thread.join();
    }
    assertFalse(log.lock.isLocked());
    assertTrue(files.calls().containsAll(List.of("CLOSE log1", "DELETE log1")));
  }

  @Test
  void deletingClosesAndDeletesAllSegments() {
    Log log = begin();
    log.prepare();
    files.calls();
    log.delete();
    assertFalse(log.lock.isLocked());
    assertEquals(
        List.of(
            "CLOSE log1", "CLOSE log2", "CLOSE log3", "DELETE log1", "DELETE log2", "DELETE log3"),
        files.calls().stream().sorted().toList());
  }

  @Test
  void closingLetsNobodyAppendAndWritesNothing() {
    Log log = begin();
    set(log);
    open = null;
    log.close();
    assertFalse(log.end.places.areOpen());
    assertFalse(log.lock.isLocked());
    assertEquals(List.of("CLOSE log1"), files.calls());
  }

  // ---------------------------------------------------------------- commit

  @Test
  void aRecordIsDurableOnlyAfterAForceAndTheNextOneIsFree() {
    Log log = begin();
    set(log);
    set(log);
    log.await(SEQUENCE + 1);
    assertEquals(FORCED, files.calls());
    assertEquals(SEQUENCE + 2, log.forced());
    assertEquals(1, log.forces());
    log.await(SEQUENCE + 2);
    assertEquals(List.of(), files.calls());
    assertEquals(1, log.forces());
    set(log);
    log.await(SEQUENCE + 3);
    assertEquals(2, log.forces());
    assertEquals(SEQUENCE + 3, log.forced());
    assertFalse(log.lock.isLocked());
  }

  @Test
  void theNextSegmentIsDurableIfAHeaderIsToNameIt() {
    Log log = begin();
    set(log);
    log.await(SEQUENCE + 1);
    log.prepare();
    log.ensureRoom(ROOM, CHECKPOINT);
    files.calls();
    log.await(SEQUENCE + 1);
    assertEquals(List.of(), files.calls());
    log.awaitWithSegment(SEQUENCE + 1);
    assertEquals(
        List.of("FINISH log1", "WRITE log2 0 4096", "FINISH log2", "FORCE log1", "FORCE log2"),
        files.calls());
    log.awaitWithSegment(SEQUENCE + 1);
    assertEquals(List.of(), files.calls());
  }

  @Test
  void whoWaitsMeanwhileGetsTheForceForFree() throws InterruptedException {
    Log log = begin();
    set(log);
    Held force = new Held(Kind.FORCE);
    Thread first = force.start(() -> log.await(SEQUENCE + 1));
    assertFalse(log.lock.isLocked());
    Thread same = startAndBlock(() -> log.await(SEQUENCE + 1));
    set(log); // Too late for this force.
    Thread second = startAndBlock(() -> log.await(SEQUENCE + 2));
    Thread third = startAndBlock(() -> log.await(SEQUENCE + 2));
    assertEquals(SEQUENCE, log.forced());
    force.release();
    for (Thread thread : List.of(first, same, second, third)) {
      thread.join();
    }
    assertEquals(2, log.forces());
    assertEquals(SEQUENCE + 2, log.forced());
  }

  @Test
  void aCheckpointMakesRecordsDurableForThoseThatWait() throws InterruptedException {
    Log log = begin();
    set(log);
    Held force = new Held(Kind.FORCE);
    Thread first = force.start(() -> log.await(SEQUENCE + 1));
    set(log);
    Thread second = startAndBlock(() -> log.await(SEQUENCE + 2));
    log.noteDurable(SEQUENCE + 2);
    second.join();
    assertEquals(SEQUENCE + 2, log.forced());
    force.release();
    first.join();
    assertEquals(SEQUENCE + 2, log.forced()); // And not what the force was of.
    log.noteDurable(SEQUENCE + 1);
    assertEquals(SEQUENCE + 2, log.forced());
  }

  @Test
  void whoWaitsIsToldThatTheDeviceHasFailed() throws InterruptedException {
    Log log = begin();
    set(log);
    files.before(Kind.FORCE, () -> {});
    log.await(SEQUENCE + 1);
    set(log);
    files.fail(Kind.FORCE, Errno.EIO);
    assertThrows(PageFileException.class, () -> log.await(SEQUENCE + 2));
    assertFalse(log.lock.isLocked());
    assertEquals(SEQUENCE + 1, log.forced());
    assertEquals(1, log.forces());
    assertThrows(PageFileException.class, () -> log.await(SEQUENCE + 2));
    log.await(SEQUENCE + 1);
    assertThrows(PageFileException.class, () -> log.ensureRoom(SEGMENT_BYTES, CHECKPOINT));
    assertFalse(log.lock.isLocked());
  }

  @Test
  void othersWaitNoLongerForAForceThatAnErrorHasEnded() throws InterruptedException {
    Log log = begin();
    set(log);
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    files.before(
        Kind.FORCE,
        () -> {
          begun.countDown();
          Waiting.await(released);
          throw new StackOverflowError("says a test");
        });
    List<Throwable> thrown = new ArrayList<>();
    Thread first =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((_, error) -> thrown.add(error))
            .start(() -> log.await(SEQUENCE + 1));
    Waiting.await(begun);
    Thread second =
        startAndBlock(() -> assertThrows(PageFileException.class, () -> log.await(SEQUENCE + 1)));
    released.countDown();
    first.join();
    second.join();
    assertTrue(thrown.getFirst() instanceof StackOverflowError);
    assertFalse(log.lock.isLocked());
  }

  // ---------------------------------------------------------------- mark

  @Test
  void aMarkIsWrittenIfAllIsForced() {
    Log log = begin();
    set(log);
    files.calls();
    log.mark(CHECKPOINT);
    assertEquals(List.of(), files.calls());
    log.await(SEQUENCE + 1);
    files.calls();
    log.mark(CHECKPOINT);
    assertEquals(List.of("WRITE log1 4096 4096", "FINISH log1"), files.calls());
    LogRecord.Header mark = files.record(1, STORE_ID, SEGMENT, HEADER + SET);
    assertNotNull(mark);
    assertEquals(LogRecord.MARK, mark.kind());
    assertEquals(SEQUENCE + 1, mark.sequence());
  }

  @Test
  void noMarkIsWrittenWhileAnotherThreadForces() throws InterruptedException {
    Log log = begin();
    set(log);
    Held force = new Held(Kind.FORCE);
    Thread forcing = force.start(() -> log.await(SEQUENCE + 1));
    log.noteDurable(SEQUENCE + 1); // All records are forced, and one thread still writes.
    files.calls();
    log.mark(CHECKPOINT);
    assertEquals(List.of(), files.calls());
    force.release();
    forcing.join();
    assertNull(files.record(1, STORE_ID, SEGMENT, HEADER + SET));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsAppendedIsReadWhereItWasSaidToBe(boolean endsBlocks) {
    Log log = begin(SEGMENT_BYTES, endsBlocks);
    List<Log.Position> places = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      log.ensureRoom(SET, CHECKPOINT);
      places.add(log.end());
      log.await(set(log));
    }
    for (int i = 0; i < 5; i++) {
      LogRecord.Header record = files.record(1, STORE_ID, SEGMENT, (int) places.get(i).offset());
      assertNotNull(record);
      assertEquals(SEQUENCE + 1 + i, record.sequence());
      assertEquals(SEQUENCE + i, record.forced());
    }
  }
}
