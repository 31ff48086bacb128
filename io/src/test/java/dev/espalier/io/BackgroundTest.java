// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.io.LogCalls.Kind;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a store does without being asked, by a thread that looks when the test says so; {@link
 * CaretakerTest} has the threads.
 */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundTest {
  private static final int PAGE_BYTES = 512;
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
          .withSegmentBytes(16 << 10)
          .withCheckpointTime(Duration.ofDays(1000));

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private IndexStore store;
  private StoreState state;
  private LongIndex index;
  private Background background;

  @BeforeEach
  void open() {
    open(OPTIONS);
  }

  private void reopen(StoreOptions options) {
    store.close();
    open(options);
  }

  private void open(StoreOptions options) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, options, environment).open();
    state = store.state();
    index = store.index("a");
    index.set(1, 1);
    store.checkpoint();
    begin();
    settle();
  }

  /** Does what is to be done at first. */
  private void settle() {
    while (background.begins()) {
      background.work();
    }
    files.calls();
  }

  @AfterEach
  void close() {
    background.stop();
    assertTrue(background.hasEnded());
    try {
      store.close();
    } catch (PageFileException asATestWantsIt) {
      assertTrue(state.condition.hasFailed());
    }
  }

  private List<String> calls(String kind) {
    return files.calls().stream().filter(call -> call.startsWith(kind)).toList();
  }

  private void work() {
    assertTrue(background.begins());
    background.work();
  }

  // ---------------------------------------------------------------- once at a time

  @Test
  void aStoreIsLookedAtByOneThreadAtATime() {
    begin();
    assertFalse(background.hasEnded());
    assertTrue(background.isInAHurry()); // Segments may be lacking.
    assertTrue(background.begins());
    assertFalse(background.begins());
    assertFalse(background.isInAHurry());
    background.putOff();
    assertTrue(background.isInAHurry());
    assertTrue(background.begins());
    background.work();
    assertFalse(background.isInAHurry());
    settle();
    assertFalse(background.begins());
  }

  @Test
  void nothingIsDoneAfterTheEnd() {
    reopen(OPTIONS.withCheckpointBytes(1).withDurability(Durability.within(Duration.ofHours(1))));
    index.set(2, 2);
    assertTrue(background.begins());
    assertTrue(background.beginsCommit());
    background.stop();
    background.work();
    background.commit();
    assertEquals(List.of(), calls("FORCE"));
  }

  // ---------------------------------------------------------------- segments

  private void takeSegment() {
    long segment = state.log.end().segment();
    for (long key = 0; state.log.end().segment() == segment; key++) {
      index.set(key, key);
    }
  }

  /** The store tells a background that was started, which this one was not. */
  private void begin() {
    background = new Background(state, none());
  }

  @Test
  void aSegmentThatWasTakenIsReplaced() {
    takeSegment();
    begin();
    int before = state.log.segments();
    work();
    assertEquals(before + 1, state.log.segments());
    assertFalse(background.isInAHurry());
  }

  private Checkpoints none() {
    return new Checkpoints(state, new int[0]);
  }

  @Test
  void aSegmentForWhichThereIsNoRoomIsTriedAgain() {
    takeSegment();
    begin();
    files.fail(Kind.GROW, Errno.ENOSPC);
    work();
    assertFalse(background.hasEnded());
    assertFalse(state.condition.hasFailed());
    assertTrue(background.isInAHurry());
    int before = state.log.segments();
    work();
    assertEquals(before + 1, state.log.segments());
    assertFalse(background.isInAHurry());
  }

  @Test
  void aDeviceThatFailsEndsAllChanges() {
    takeSegment();
    begin();
    files.fail(Kind.GROW, Errno.EIO);
    work();
    assertTrue(background.hasEnded());
    assertTrue(state.condition.hasFailed());
    assertThrows(IllegalStateException.class, () -> index.set(1, 2));
  }

  @Test
  void whatFailsOtherwiseEndsAllChangesToo() {
    background.endAfter(new IllegalStateException("says a test"));
    assertTrue(background.hasEnded());
    assertTrue(state.condition.hasFailed());
  }

  @Test
  void aStoreThatWasClosedHasNotFailed() {
    store.close();
    background.endAfter(new IllegalStateException("closed meanwhile"));
    assertTrue(background.hasEnded());
    assertFalse(state.condition.hasFailed());
  }

  // ---------------------------------------------------------------- marks

  /** Once nothing has followed the last force for as long as from look to look. */
  @Test
  void aLogThatIsQuietIsMarked() {
    index.set(2, 2);
    assertFalse(background.begins()); // Nothing was forced.
    store.commit();
    files.calls();
    work();
    assertEquals(List.of(), files.calls());
    index.set(3, 3);
    store.commit();
    files.calls();
    work();
    assertEquals(List.of(), files.calls());
    work();
    assertEquals(1, calls("WRITE log").size());
    assertFalse(background.begins());
    assertEquals(List.of(), calls("FORCE"));
  }

  // ---------------------------------------------------------------- checkpoints

  /** Writes until a checkpoint is due, and has it made. */
  private void makeOne() {
    long checkpoint = state.header.checkpoint();
    while (state.header.checkpoint() == checkpoint) {
      index.set(1, 1);
      settle();
    }
  }

  @Test
  void aCheckpointIsMadeAfterSoMuchOfTheLog() {
    reopen(OPTIONS.withCheckpointBytes(480));
    makeOne();
    long checkpoint = state.header.checkpoint();
    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < 9; i++) {
        index.set(i, i);
      }
      assertFalse(background.begins(), "round " + round);
      index.set(9, 9);
      work();
      assertEquals(checkpoint + round, state.header.checkpoint());
      assertEquals(state.log.appended(), state.header.sequence());
      settle();
      assertEquals(checkpoint + round, state.header.checkpoint());
    }
  }

  @Test
  void whatIsWrittenDuringACheckpointIsForTheNextOne() {
    reopen(OPTIONS.withCheckpointBytes(48));
    settle();
    long checkpoint = state.header.checkpoint();
    index.set(1, 1);
    files.before(Kind.FORCE, () -> index.set(2, 2));
    work();
    assertEquals(checkpoint + 1, state.header.checkpoint());
    assertEquals(state.log.appended() - 1, state.header.sequence());
    work();
    assertEquals(checkpoint + 2, state.header.checkpoint());
    assertEquals(state.log.appended(), state.header.sequence());
  }

  @Test
  void aCheckpointThatFindsNoRoomIsMadeLater() {
    reopen(OPTIONS.withCheckpointBytes(48));
    settle();
    long checkpoint = state.header.checkpoint();
    index.set(1, 1);
    files.fail(Kind.WRITE, Errno.ENOSPC);
    work();
    assertFalse(background.hasEnded());
    assertFalse(state.condition.hasFailed());
    assertEquals(checkpoint, state.header.checkpoint());
    index.set(1, 2);
    work();
    assertTrue(state.header.checkpoint() > checkpoint);
  }

  @Test
  void aCheckpointIsMadeAfterATimeIfAnythingWasWritten() {
    reopen(OPTIONS.withCheckpointTime(Duration.ofMillis(1)));
    makeOne();
    long checkpoint = state.header.checkpoint();
    assertFalse(background.begins()); // However long that takes.
    index.set(2, 2);
    while (!background.begins()) {
      Thread.onSpinWait();
    }
    background.work();
    assertEquals(checkpoint + 1, state.header.checkpoint());
    settle();
    assertEquals(checkpoint + 1, state.header.checkpoint());
  }

  // ---------------------------------------------------------------- commits

  @Test
  void whatWasPromisedWithinATimeIsForced() {
    reopen(OPTIONS.withDurability(Durability.within(Duration.ofHours(1))));
    store.commit();
    assertFalse(background.beginsCommit()); // All is forced.
    index.set(2, 2);
    assertTrue(background.beginsCommit());
    assertFalse(background.beginsCommit()); // Somebody is at it.
    background.putOffCommit();
    assertTrue(background.beginsCommit());
    files.calls();
    background.commit();
    assertEquals(state.log.appended(), state.log.forced());
    assertEquals(1, calls("FORCE log").size());
    assertFalse(background.beginsCommit());
    index.set(3, 3);
    assertTrue(background.beginsCommit());
    background.commit();
    assertEquals(state.log.appended(), state.log.forced());
  }

  @Test
  void elseNothingIsForcedThatNobodyAsksFor() {
    index.set(2, 2);
    assertFalse(background.beginsCommit());
    assertFalse(background.begins());
    assertEquals(List.of(), calls("FORCE"));
  }

  @Test
  void aCommitThatFailsEndsAllChanges() {
    reopen(OPTIONS.withDurability(Durability.within(Duration.ofHours(1))));
    index.set(2, 2);
    assertTrue(background.beginsCommit());
    files.fail(Kind.FORCE, Errno.EIO);
    background.commit();
    assertTrue(background.hasEnded());
    assertTrue(state.condition.hasFailed());
  }
}
