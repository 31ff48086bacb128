// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.espalier.LongIndex;
import dev.espalier.io.LogCalls.Kind;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How writes are taken back of which the log was told; {@link TakenBackWritesTest} has crashes. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedWritesTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(512).withPoolBytes(256 * 512))
          .withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private final RuntimeException cause = new IllegalStateException("says a test");
  private final IndexLock[] held = new IndexLock().alone;
  private IndexStore store;
  private StoreState state;
  private FailedWrites failed;
  private int id;

  @BeforeEach
  void open() {
    open(new StoreEnvironment(files, new SplittableRandom(1), false, false));
    LongIndex index = store.index("a");
    index.set(1, 10);
    id = state.indexes.get("a").id;
  }

  private void open(StoreEnvironment environment) {
    store = new StoreOpening(LogCalls.STORE, OPTIONS, environment).open();
    state = store.state();
    failed = store.writer().failedWrites();
  }

  @AfterEach
  void close() {
    try {
      store.close();
    } catch (PageFileException | IllegalStateException asATestWantsIt) {
      assertTrue(state.condition.hasFailed());
    }
  }

  private void enter() {
    held[0].entered = state.gate.enter(WriterGate.promise(1, 48));
  }

  private void takeBack(long bytes, Consumer<LogRecord> stored) {
    failed.takeBack(held, bytes, stored, cause);
  }

  private static Consumer<LogRecord> note(int bytes) {
    return record -> record.note(new byte[bytes]);
  }

  // ---------------------------------------------------------------- by a record

  @Test
  void theLogIsToldWhatThereIs() {
    long before = state.log.appended();
    enter();
    takeBack(100, record -> record.set(id, 1, 10));
    state.gate.leave(held[0].entered);
    assertEquals(before + 1, state.log.appended());
    assertNull(held[0].failed);
    assertEquals(0, cause.getSuppressed().length);
    assertFalse(state.condition.hasFailed());
  }

  @ParameterizedTest
  @CsvSource({"1048576, true", "1048577, false"})
  void moreThanTheBufferHasIsTakenBackByACheckpoint(long bytes, boolean isTold) {
    long before = state.log.appended();
    enter();
    takeBack(bytes, record -> record.set(id, 1, 10));
    state.gate.leave(held[0].entered);
    assertEquals(isTold ? before + 1 : before, state.log.appended());
    assertSame(isTold ? null : cause, held[0].failed);
  }

  @Test
  void whoIsAloneTellsTheLogHoweverMuchItIs() {
    long before = state.log.appended();
    state.gate.enterAlone();
    held[0].entered = WriterGate.ALONE;
    takeBack(1 << 30, record -> record.set(id, 1, 10));
    assertEquals(before + 1, state.log.appended());
    assertNull(held[0].failed);
    LogRecord large = new LogRecord();
    large.begin(LogRecord.NOTE);
    large.note(new byte[3 << 20]);
    long segment = state.log.end().segment();
    assertTrue(failed.tryAppend(large));
    assertEquals(segment + 1, state.log.end().segment()); // For which there was room.
    state.gate.leaveAlone();
    assertEquals(before + 2, state.log.appended());
    assertTrue(state.log.segments() > 2);
  }

  @Test
  void moreThanARecordCanHaveIsTakenBackByACheckpoint() {
    long before = state.log.appended();
    state.gate.enterAlone();
    held[0].entered = WriterGate.ALONE;
    takeBack((1L << 30) + 1, _ -> fail("there is no record"));
    state.gate.leaveAlone();
    assertEquals(before, state.log.appended());
    assertSame(cause, held[0].failed);
  }

  /** What there is may be longer than what was to be written. */
  @Test
  void whatFindsNoMemoryIsTakenBackByACheckpoint() {
    long before = state.log.appended();
    enter();
    takeBack(
        100,
        _ -> {
          throw new OutOfMemoryError("says a test");
        });
    state.gate.leave(held[0].entered);
    assertEquals(before, state.log.appended());
    assertSame(cause, held[0].failed);
    assertEquals(1, cause.getSuppressed().length);
    assertFalse(state.condition.hasFailed());
  }

  @Test
  void whatFindsNoRoomBesideThePromisesOfOthersIsTakenBackByACheckpoint() {
    long before = state.log.appended();
    enter();
    takeBack(100, note(LogBuffer.BYTES - LogBuffer.BLOCK_BYTES - 48));
    assertSame(cause, held[0].failed);
    assertEquals(before, state.log.appended());
    held[0].failed = null;
    takeBack(100, note(LogBuffer.BYTES - LogBuffer.BLOCK_BYTES - 48 - 48));
    assertNull(held[0].failed);
    assertEquals(before + 1, state.log.appended());
    state.gate.leave(held[0].entered);
  }

  // ---------------------------------------------------------------- what can't be read

  private void takeBackFailing(RuntimeException second) {
    enter();
    takeBack(
        100,
        _ -> {
          throw second;
        });
    state.gate.leave(held[0].entered);
    assertSame(second, cause.getSuppressed()[0]);
  }

  /** Recovery can't read them either; a checkpoint need not. */
  @Test
  void whatDamageKeepsFromBeingReadIsTakenBackByACheckpoint() {
    takeBackFailing(new CorruptPageException(LogCalls.STORE, 7, "says a test"));
    assertFalse(state.condition.isHalfway());
    assertSame(cause, held[0].failed);
  }

  @Test
  void whatPagesLieAboutIsTakenBackByACheckpoint() {
    takeBackFailing(new IndexOutOfBoundsException("says a test"));
    assertFalse(state.condition.isHalfway());
    assertSame(cause, held[0].failed);
  }

  @Test
  void anythingElseStopsTheStore() {
    takeBackFailing(new UnsupportedOperationException("says a test"));
    assertTrue(state.condition.isHalfway());
    assertNull(held[0].failed);
  }

  // ---------------------------------------------------------------- by a checkpoint

  @Test
  void aCheckpointHasWhatTheTreesHave() {
    long before = state.header.checkpoint();
    failed.takeBackByCheckpoint(cause);
    assertEquals(before + 1, state.header.checkpoint());
    assertEquals(0, cause.getSuppressed().length);
    assertFalse(state.condition.hasFailed());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theStoreStopsIfThereCanBeNoCheckpoint(boolean isError) throws InterruptedException {
    long before = state.header.checkpoint();
    if (isError) {
      Error error = new StackOverflowError("says a test");
      files.fail(Kind.FORCE, error);
      try {
        failed.takeBackByCheckpoint(cause);
      } catch (StackOverflowError thrown) {
        assertSame(error, thrown);
      }
    } else {
      files.fail(Kind.FORCE, Errno.EIO);
      failed.takeBackByCheckpoint(cause);
      assertEquals(
          "/simulated/store: FORCE failed as ordered", cause.getSuppressed()[0].getMessage());
    }
    assertEquals(before, state.header.checkpoint());
    assertTrue(state.condition.isHalfway());
    Thread.ofPlatform().start(() -> state.gate.leave(state.gate.enter(1))).join();
  }

  /** It would have half of that write. */
  @Test
  void aCheckpointIsNotMadeInTheMiddleOfAnotherWrite() {
    long before = state.header.checkpoint();
    state.gate.enterAlone();
    state.transactions.beginTurn();
    failed.takeBackByCheckpoint(cause);
    state.transactions.endTurn();
    state.gate.leaveAlone();
    assertEquals(before, state.header.checkpoint());
    assertTrue(state.condition.isHalfway());
  }

  @Test
  void whatIsTakenBackIsNotThereAfterACrash() {
    enter();
    store.writer().appendSet(id, 1, 99);
    takeBack(100, record -> record.set(id, 1, 10));
    store.writer().appendSet(id, 2, 99);
    takeBack(100, record -> record.delete(id, 2));
    state.gate.leave(held[0].entered);
    store.commit();
    disk.losePower();
    try {
      store.close();
    } catch (PageFileException | PowerLostException lost) {
      disk.restart(CrashPlan.NOTHING);
    }
    open(new StoreEnvironment(files, new SplittableRandom(2), false, false));
    assertEquals(10, store.index("a").get(1));
    assertEquals(1, store.index("a").size());
  }
}
