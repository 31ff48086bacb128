// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TreeVariant;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store over a simulated disk whose calls are written down, for tests of what writes do. */
abstract class StoreWriterTrial {
  static final int PAGE_BYTES = 512;

  /** Pages that one write promises, with those of any change. */
  static final int PAGES = 4 + 16 + SlotPageStore.CHANGE_SLOTS;

  static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
          .withSegmentBytes(16 << 10);

  final SimulatedDisk disk = DiskTrials.disk(1);
  final LogCalls files = new LogCalls(disk);
  IndexStore store;
  StoreState state;
  WriterGate gate;
  StoreWriter writer;

  /** For many threads. */
  StoreIndex many;

  /** Whose readers share its lock. */
  StoreIndex shared;

  void open(StoreOptions options) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, options, environment).open();
    state = store.state();
    gate = state.gate;
    writer = store.writer();
  }

  @BeforeEach
  void open() {
    open(OPTIONS);
    many = index("many", OPTIONS.files().variant().orElse(state.newVariant()));
    shared = index("shared", DiskFirstFpbPlusTree.VARIANT);
    assertTrue(many.locks().areOfKeys());
    assertFalse(shared.locks().areOfKeys());
    many.set(1, 10);
    shared.set(1, 10);
    store.checkpoint();
    files.calls();
  }

  final StoreIndex index(String name, TreeVariant variant) {
    return (StoreIndex) store.index(name, variant);
  }

  @AfterEach
  void close() {
    if (disk.crashed()) {
      return;
    }
    assertEquals(0, gate.sum());
    assertTrue(isFree(shared.locks().all()[0]));
    try {
      store.close();
    } catch (PageFileException asATestWantsIt) {
      assertTrue(state.condition.hasFailed());
    }
  }

  long checkpoint() {
    return state.header.checkpoint();
  }

  /** Has a thread do something, and returns it when it waits. */
  static Thread waiting(Runnable action) {
    Thread thread = Thread.ofPlatform().daemon().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "it should wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  static void await(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Tells whether another thread could take a lock. */
  static boolean isFree(IndexLock lock) {
    boolean[] isFree = {false};
    await(
        Thread.ofPlatform()
            .start(
                () -> {
                  isFree[0] = lock.tryTake();
                  if (isFree[0]) {
                    lock.release();
                  }
                }));
    return isFree[0];
  }
}
