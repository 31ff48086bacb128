// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a store does without being asked: it makes its checkpoints, keeps the next segment of the
 * log ready, and commits where a commit was promised within some time. If that fails, the store
 * says so. The {@link Caretaker} says when to look.
 */
final class Background {
  /** How often to look whether there is anything to be done. */
  private static final long LOOK_NANOS = 20_000_000;

  private final StoreState state;
  private final Checkpoints checkpoints;
  private final long commitNanos;
  private final long checkpointNanos;

  private volatile boolean stopping;

  /** Whether a thread is at work, or is about to be. What is not volatile is that thread's. */
  private volatile boolean isBusy;

  /** Held while a thread is at work. */
  private final ReentrantLock working = new ReentrantLock();

  /** Whether a thread commits, or is about to: no checkpoint keeps it from that. */
  private volatile boolean isCommitting;

  /** Held while a thread commits. */
  private final ReentrantLock committing = new ReentrantLock();

  /** Whether a segment of the log may have to be made ready. */
  private volatile boolean lacksSegment = true;

  private long lastCheckpoint = System.nanoTime();

  /** Bytes of the log when the last checkpoint began. */
  private long loggedThen;

  /** The last record that it has. */
  private long sequenceThen;

  /** How often the log had been forced at the last look, and whether it has a mark since. */
  private long forcesThen;

  private boolean isMarked = true;

  Background(StoreState state, Checkpoints checkpoints) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.commitNanos =
        state.options.durability() instanceof Durability.Within within
            ? within.time().toNanos()
            : Long.MAX_VALUE;
    // A time of more than 292 years, which is for never, becomes the largest number.
    this.checkpointNanos = TimeUnit.NANOSECONDS.convert(state.options.checkpointTime());
  }

  void start() {
    sequenceThen = state.log.appended();
    state.log.whenSegmentTaken(
        () -> {
          lacksSegment = true;
          Caretaker.SHARED.wake();
        });
    Caretaker.SHARED.add(this, Math.min(LOOK_NANOS, commitNanos / 2));
  }

  /** Ends this, and waits until what is being done has ended. */
  void stop() {
    stopping = true;
    awaitFree(working);
    awaitFree(committing);
  }

  @SuppressWarnings("LockNotBeforeTry") // Nothing is done with the lock: it has only to be free.
  private static void awaitFree(ReentrantLock lock) {
    lock.lock();
    lock.unlock();
  }

  // ---------------------------------------------------------------- for the caretaker

  /** Tells whether there will be nothing more to do. */
  boolean hasEnded() {
    return stopping || state.condition.hasFailed();
  }

  /** Tells whether it can't wait for the next look. */
  boolean isInAHurry() {
    return lacksSegment && !isBusy;
  }

  /**
   * Tells whether there is something to be done, and nobody at it: then {@link #work} follows.
   * Other stores are not looked at meanwhile, so it must wait for nothing.
   */
  boolean begins() {
    if (isBusy) {
      return false;
    }
    isBusy = isCheckpointDue() || lacksSegment || !isMarked || state.log.forces() != forcesThen;
    return isBusy;
  }

  /** Tells, as {@link #begins} does, whether to commit: then {@link #commit} follows. */
  boolean beginsCommit() {
    if (isCommitting
        || commitNanos == Long.MAX_VALUE
        || state.log.forced() >= state.log.appendedAbout()) {
      return false;
    }
    isCommitting = true;
    return true;
  }

  /** Puts off what was about to be done. */
  void putOff() {
    isBusy = false;
  }

  /** Puts off the commit that was about to be made. */
  void putOffCommit() {
    isCommitting = false;
  }

  /** Does what is to be done. */
  void work() {
    working.lock();
    try {
      attempt(this::look);
    } finally {
      isBusy = false;
      working.unlock();
    }
  }

  /** Makes durable what was written so far. */
  void commit() {
    committing.lock();
    try {
      attempt(() -> state.log.await(state.log.appended()));
    } finally {
      isCommitting = false;
      committing.unlock();
    }
  }

  /** Does something, unless this has ended. Where the device has no room it is tried again. */
  private void attempt(Runnable task) {
    try {
      if (!hasEnded()) {
        task.run();
      }
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        endAfter(failed);
      }
    } catch (RuntimeException failed) {
      endAfter(failed);
    }
  }

  /** Ends this: the store takes no more changes then, and says why; or it was closed meanwhile. */
  void endAfter(RuntimeException failed) {
    if (state.condition.isUsable()) {
      state.condition.noteFailure(failed);
    }
    stopping = true;
  }

  private void look() {
    prepare();
    markIfQuiet();
    if (isCheckpointDue()) {
      makeCheckpoint();
    }
  }

  /** Makes segments ready. Where there is no room for them, a checkpoint may make some. */
  private void prepare() {
    lacksSegment = false;
    try {
      state.log.prepare();
    } catch (PageFileException failed) {
      lacksSegment = true;
      if (!SlotSpace.isFull(failed)) {
        throw failed;
      }
    }
  }

  /** Marks the log once nothing has followed its last force for as long as from look to look. */
  private void markIfQuiet() {
    long forces = state.log.forces();
    if (forces != forcesThen) {
      forcesThen = forces;
      isMarked = false;
    } else if (!isMarked) {
      state.log.mark(state.header.checkpoint());
      isMarked = true;
    }
  }

  private boolean isCheckpointDue() {
    if (state.log.appendedAbout() == sequenceThen) {
      lastCheckpoint = System.nanoTime();
      return false;
    }
    return state.log.appendedBytesAbout() - loggedThen >= state.options.checkpointBytes()
        || System.nanoTime() - lastCheckpoint >= checkpointNanos;
  }

  private void makeCheckpoint() {
    long logged = state.log.appendedBytes();
    try {
      checkpoints.make(false);
    } catch (NoSlotException full) {
      // Writers are refused meanwhile, and try it themselves.
    } finally {
      lastCheckpoint = System.nanoTime();
      loggedThen = logged;
      sequenceThen = state.header.sequence(); // What was written meanwhile is for the next one.
    }
  }
}
