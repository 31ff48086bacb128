// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.LogCalls.Kind;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which checkpoint a snapshot is, and how long its slots are held. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SnapshotHoldTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(512).withPoolBytes(256 * 512))
          .withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private IndexStore store;
  private StoreState state;
  private LongIndex index;

  @BeforeEach
  void open() {
    open(OPTIONS);
    index = store.index("a");
    for (long key = 0; key < 500; key++) {
      index.set(key, key);
    }
    store.bytesIndex("strings").set(new byte[] {1}, new byte[] {2});
    store.checkpoint();
    files.calls();
  }

  private void open(StoreOptions options) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, options, environment).open();
    state = store.state();
  }

  @AfterEach
  void close() {
    assertFalse(state.pool.frames.lock.isLocked());
    assertEquals(0, held());
    try {
      store.close();
    } catch (PageFileException asATestWantsIt) {
      assertTrue(state.condition.hasFailed());
    }
  }

  private int held() {
    return state.space.account().held().size();
  }

  @Test
  void aCheckpointIsMadeIfAnythingWasWritten() {
    long checkpoint = state.header.checkpoint();
    try (Snapshot same = store.snapshot()) {
      assertEquals(checkpoint, same.checkpoint());
      index.set(1, 2);
      try (Snapshot next = store.snapshot()) {
        assertEquals(checkpoint + 1, next.checkpoint());
        assertEquals(checkpoint + 1, state.header.checkpoint());
        assertEquals(1, same.index("a").get(1));
        assertEquals(2, next.index("a").get(1));
        assertEquals(2, held());
        assertEquals(2, state.snapshots.size());
      }
      assertEquals(1, held());
    }
    assertEquals(0, state.snapshots.size());
  }

  @Test
  void aStoreForReadingOnlyMakesNoCheckpoint() {
    store.close();
    open(OPTIONS.withFiles(OPTIONS.files().withFlags(FileOption.READ_ONLY)));
    try (Snapshot snapshot = store.snapshot()) {
      assertEquals(state.header.checkpoint(), snapshot.checkpoint());
      assertEquals(500, snapshot.index("a").size());
    }
  }

  @Test
  void itsSlotsAreBusyUntilItIsClosed() {
    Snapshot snapshot = store.snapshot();
    BitSet slots = state.space.account().durable();
    assertEquals(slots, snapshot.slots());
    for (int round = 0; round < 3; round++) {
      for (long key = 0; key < 500; key++) {
        index.set(key, -key);
      }
      store.checkpoint();
      BitSet free = (BitSet) slots.clone();
      free.andNot(state.space.account().busy());
      assertEquals(new BitSet(), free);
    }
    assertEquals(7, snapshot.index("a").get(7));
    snapshot.close();
    assertTrue(snapshot.isClosed());
    slots.and(state.space.account().busy());
    assertTrue(slots.cardinality() < snapshot.slots().cardinality() / 2);
    snapshot.close(); // Once more does nothing.
  }

  @Test
  void itsIndexesAreOpenUntilTheyOrItAreClosed() {
    Snapshot snapshot = store.snapshot();
    LongIndex longs = snapshot.index("a");
    BytesIndex strings = snapshot.bytesIndex("strings");
    assertSame(longs, snapshot.index("a"));
    assertSame(strings, snapshot.bytesIndex("strings"));
    assertEquals(List.of("a", "strings"), snapshot.names());
    longs.close();
    assertThrows(IllegalStateException.class, () -> longs.get(1));
    LongIndex again = snapshot.index("a");
    assertEquals(1, again.get(1));
    snapshot.close();
    assertThrows(IllegalStateException.class, () -> again.get(1));
    assertThrows(IllegalStateException.class, () -> strings.get(new byte[] {1}));
    for (Runnable use :
        List.<Runnable>of(
            () -> snapshot.index("a"),
            () -> snapshot.bytesIndex("strings"),
            snapshot::names,
            snapshot::note)) {
      assertEquals(
          "the snapshot of checkpoint %d of /simulated/store is closed"
              .formatted(snapshot.checkpoint()),
          assertThrows(IllegalStateException.class, use::run).getMessage());
    }
    assertFalse(snapshot.lock.isLocked());
  }

  @Test
  void whatCanNotBeReadIsNotHeld() {
    files.fail(Kind.READ, Errno.EIO);
    assertThrows(PageFileException.class, store::snapshot);
    assertEquals(0, held());
    assertEquals(0, state.snapshots.size());
    store.checkpoint(); // Nobody keeps the lock.
  }

  @Test
  void anIndexThatCanNotBeReadIsNotOpen() {
    try (Snapshot snapshot = store.snapshot()) {
      files.fail(Kind.READ, Errno.EIO);
      assertThrows(PageFileException.class, () -> snapshot.index("a"));
      assertEquals(1, snapshot.index("a").get(1));
      assertFalse(snapshot.lock.isLocked());
    }
  }

  @Test
  void whatItHasIsThatOfItsMoment() {
    store.commit(new byte[] {1});
    try (Snapshot snapshot = store.snapshot()) {
      store.commit(new byte[] {2});
      store.drop("strings");
      store.index("new");
      assertEquals(1, snapshot.note()[0]);
      assertEquals(List.of("a", "strings"), snapshot.names());
      assertEquals(1, snapshot.bytesIndex("strings").size());
      assertEquals(
          "name is 'new', but the snapshot of /simulated/store has no such index; it has"
              + " [a, strings]",
          assertThrows(IllegalArgumentException.class, () -> snapshot.index("new")).getMessage());
    }
  }
}
