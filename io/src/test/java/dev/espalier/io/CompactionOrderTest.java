// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.LogCalls.Kind;
import dev.espalier.io.SimulatedDisk.Done;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the pages at the end of a file are moved, what happens meanwhile, and what fails. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompactionOrderTest {
  private static final int PAGE_BYTES = 512;
  private static final int ENTRIES = 3000;
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
          .withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private IndexStore store;
  private StoreState state;
  private LongIndex index;

  /** Has the beginning of a file be free, and an index at its end. */
  @BeforeEach
  void open() {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, OPTIONS, environment).open();
    state = store.state();
    fill("dropped");
    store.checkpoint();
    fill("a");
    store.checkpoint();
    store.drop("dropped");
    index = store.index("a");
    files.calls();
  }

  private void fill(String name) {
    for (long key = 0; key < ENTRIES; key++) {
      store.index(name).set(key, key);
    }
  }

  @AfterEach
  void close() {
    assertFalse(state.pool.frames.lock.isLocked());
    try {
      store.close();
    } catch (PageFileException asATestWantsIt) {
      assertTrue(state.condition.hasFailed());
    }
  }

  /** Returns the slots of all pages of the index. */
  private Set<Integer> slots() {
    IndexPages pages = state.indexes.get("a");
    Set<Integer> slots = new HashSet<>();
    for (int page = 1; page <= pages.numbers.top(); page++) {
      slots.add(pages.map.slot(page));
    }
    return slots;
  }

  private int last() {
    return slots().stream().mapToInt(Integer::intValue).max().orElseThrow();
  }

  private void assertWhole(int room) {
    store.verify();
    assertEquals(ENTRIES, index.size());
    for (long key = 1; key < ENTRIES; key++) {
      assertEquals(key, index.get(key));
    }
    if (room > 0) {
      assertEquals(room, state.space.room());
      assertEquals(room * PAGE_BYTES, disk.contents(LogCalls.STORE).length);
    }
  }

  private static boolean isHeader(Done done) {
    return done.operation() == DiskOperation.WRITE
        && done.name().equals("store")
        && done.position() < StoreHeader.areaBytes(PAGE_BYTES);
  }

  // ---------------------------------------------------------------- order

  @Test
  void theEndIsCutOffWhenTheHeaderThatNeedsNoneOfItIsSafe() {
    int before = state.space.room();
    int last = last();
    long checkpoint = state.header.checkpoint();
    int operations = disk.done().size();
    long given = store.shrink();
    assertTrue(last() < last / 2 + 64, last() + " of " + last);
    assertEquals((long) (before - state.space.room()) * PAGE_BYTES, given);
    assertTrue(state.header.checkpoint() >= checkpoint + 2);
    List<Done> done = disk.done().subList(operations, disk.done().size());
    int cut = 0;
    while (done.get(cut).operation() != DiskOperation.TRUNCATE) {
      cut++;
    }
    int header = cut;
    while (!isHeader(done.get(header))) {
      header--;
    }
    long end = done.get(cut).position();
    assertTrue(
        done.subList(header, cut).stream()
            .anyMatch(
                each -> each.operation() == DiskOperation.FORCE && each.name().equals("store")),
        done.toString());
    for (Done each : done.subList(header, done.size())) {
      assertTrue(!each.name().equals("store") || each.position() + each.length() <= end);
    }
    assertTrue(state.header.slots() * PAGE_BYTES <= end);
    assertWhole(state.space.room());
  }

  @Test
  void whereThereIsNothingToMoveNothingIsMoved() {
    store.shrink();
    int room = state.space.room();
    long checkpoint = state.header.checkpoint();
    Set<Integer> slots = slots();
    assertEquals(0, store.shrink());
    assertEquals(slots, slots());
    assertWhole(room);
    assertTrue(state.header.checkpoint() <= checkpoint + 2);
  }

  @Test
  void progressIsToldOfSlots() {
    List<Long> done = new ArrayList<>();
    Set<Long> totals = new HashSet<>();
    store.shrink(
        (moved, total) -> {
          done.add(moved);
          totals.add(total);
          return true;
        });
    assertTrue(totals.iterator().next() > 64, totals.toString());
    for (int i = 1; i < done.size(); i++) {
      assertTrue(totals.size() > 1 || done.get(i) >= done.get(i - 1), done.toString());
    }
    assertTrue(done.stream().allMatch(each -> each >= 0));
    assertTrue(done.getFirst() > 0);
  }

  // ---------------------------------------------------------------- meanwhile

  @Test
  void aPageThatIsChangedMeanwhileStaysWhereItWent() {
    List<Integer> moved = new ArrayList<>();
    files.before(
        Kind.READ, // Of the first pages that are copied.
        () -> {
          for (long key = 0; key < ENTRIES; key += 7) {
            index.set(key, -1);
            index.set(key, key);
          }
          int before = state.space.busyCount();
          state.open.get("a").pages().flush();
          moved.add(state.space.busyCount() - before);
        });
    store.shrink();
    assertTrue(moved.getFirst() > 20, moved.toString());
    assertWhole(0);
    store.checkpoint();
    assertWhole(0);
  }

  @Test
  void whoeverWritesMeanwhileLosesNothing() {
    int[] told = {0};
    store.shrink(
        (_, _) -> {
          for (long key = told[0]; key < ENTRIES; key += 50) {
            index.set(key, -1);
            index.set(key, key);
          }
          told[0]++;
          store.checkpoint(); // No other is under way.
          return true;
        });
    assertTrue(told[0] > 0);
    assertWhole(0);
  }

  // ---------------------------------------------------------------- failures

  @Test
  void whoeverCancelsLosesNothingAndCanBeginAnew() {
    int before = state.space.room();
    assertEquals(
        "/simulated/store: making the file shorter was cancelled",
        assertThrows(CancellationException.class, () -> store.shrink((_, _) -> false))
            .getMessage());
    assertWhole(before);
    assertTrue(store.shrink() > 0);
    assertWhole(0);
  }

  private void failAtFirstCopy(Kind kind) {
    ProgressListener failing =
        (_, _) -> {
          throw new AssertionError("nothing was moved");
        };
    files.calls();
    store.checkpoint();
    // What a checkpoint without changes asks for, which comes first.
    List<String> calls = files.calls().stream().filter(c -> c.startsWith(kind + " ")).toList();
    for (int i = 0; i < calls.size(); i++) {
      files.before(kind, () -> {});
    }
    files.fail(kind, Errno.EIO);
    assertThrows(PageFileException.class, () -> store.shrink(failing));
  }

  @Test
  void aPageThatCanNotBeReadIsNotMovedAndNoSlotIsLost() {
    int busy = state.space.busyCount();
    failAtFirstCopy(Kind.READ);
    assertFalse(state.condition.hasFailed());
    store.checkpoint();
    store.checkpoint();
    assertTrue(state.space.busyCount() <= busy);
    assertWhole(0);
  }

  @Test
  void aCopyThatCanNotBeWrittenEndsAllChanges() {
    failAtFirstCopy(Kind.WRITE);
    assertTrue(state.condition.hasFailed());
    assertThrows(IllegalStateException.class, () -> index.set(0, 1));
    for (long key = 0; key < ENTRIES; key++) {
      assertEquals(key, index.get(key));
    }
  }
}
