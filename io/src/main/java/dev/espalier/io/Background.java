// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.ref.WeakReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a store that makes its checkpoints, keeps the next segment of the log ready, and
 * commits where a commit was promised within some time. If it fails, the store says so.
 */
final class Background {
  /** How often it looks whether there is anything to be done. */
  private static final long LOOK_NANOS = 20_000_000;

  private final StoreState state;
  private final Checkpoints checkpoints;
  private final long commitNanos;

  private volatile boolean stopping;
  private @Nullable Thread thread;

  private long lastCheckpoint = System.nanoTime();
  private long loggedThen;
  private long sequenceThen;

  Background(StoreState state, Checkpoints checkpoints) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.commitNanos =
        state.options.durability() instanceof Durability.Within within
            ? within.time().toNanos()
            : Long.MAX_VALUE;
  }

  void start() {
    sequenceThen = state.log.appended();
    Thread looking =
        Thread.ofPlatform()
            .daemon()
            .name("espalier-store-" + state.path.getFileName())
            .start(lookAt(new WeakReference<>(this), Math.min(LOOK_NANOS, commitNanos / 2)));
    thread = looking;
    state.log.whenSegmentTaken(() -> LockSupport.unpark(looking));
  }

  /** Ends the thread, and waits until what it is doing has ended. */
  void stop() {
    stopping = true;
    Thread running = thread;
    if (running != null && !running.equals(Thread.currentThread())) {
      LockSupport.unpark(running);
      Waiting.awaitEnd(running);
    }
  }

  /** Looks from time to time, until the store is closed or can no longer be reached. */
  private static Runnable lookAt(WeakReference<Background> store, long nanos) {
    return () -> {
      do {
        LockSupport.parkNanos(store, nanos);
      } while (goesOn(store.get()));
    };
  }

  private static boolean goesOn(@Nullable Background store) {
    return store != null && store.lookIfOpen();
  }

  /** Does what is to be done; returns false if that was the last time. */
  private boolean lookIfOpen() {
    if (stopping || state.condition.loss() != null) {
      return false;
    }
    try {
      look();
      return true;
    } catch (RuntimeException failed) {
      // The store takes no more changes then, and says why; or it was closed meanwhile.
      if (state.condition.isUsable()) {
        state.condition.noteFailure(failed);
      }
      return false;
    }
  }

  private void look() {
    try {
      if (commitNanos != Long.MAX_VALUE) {
        state.log.await(state.log.appended());
      }
      state.log.prepare();
      if (isCheckpointDue()) {
        checkpoints.make(false);
        noteCheckpoint();
      }
    } catch (NoSlotException full) {
      noteCheckpoint(); // Writers are refused meanwhile, and try it themselves.
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw failed;
      }
    }
  }

  private boolean isCheckpointDue() {
    if (state.log.appended() == sequenceThen) {
      lastCheckpoint = System.nanoTime();
      return false;
    }
    return state.log.appendedBytes() - loggedThen >= state.options.checkpointBytes()
        || System.nanoTime() - lastCheckpoint >= state.options.checkpointTime().toNanos();
  }

  private void noteCheckpoint() {
    lastCheckpoint = System.nanoTime();
    loggedThen = state.log.appendedBytes();
    sequenceThen = state.log.appended();
  }
}
