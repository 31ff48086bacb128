// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TreeVariant;
import dev.espalier.io.LogCalls.Kind;
import dev.espalier.io.Transactions.Open;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each write does before and after the change itself, and what is left if it is refused. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreWriterTest {
  private static final int PAGE_BYTES = 512;

  /** Pages that one write promises, with those of any change. */
  private static final int PAGES = 4 + 16 + SlotPageStore.CHANGE_SLOTS;

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
          .withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private IndexStore store;
  private StoreState state;
  private WriterGate gate;
  private StoreWriter writer;

  /** For many threads. */
  private StoreIndex many;

  /** Whose readers share its lock. */
  private StoreIndex shared;

  private void open(StoreOptions options) {
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

  private StoreIndex index(String name, TreeVariant variant) {
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

  private long checkpoint() {
    return state.header.checkpoint();
  }

  /** Has a thread do something, and returns it when it waits. */
  private static Thread waiting(Runnable action) {
    Thread thread = Thread.ofPlatform().daemon().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "it should wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  private static void await(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Tells whether another thread could take a lock. */
  private static boolean isFree(IndexLock lock) {
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

  // ---------------------------------------------------------------- begin and end

  @Test
  void aWriterIsWithinWithItsPromiseAndItsLockUntilItEnds() {
    IndexLock[] lock = many.locks().of(5);
    writer.beginSet(many, lock, 5);
    long sum = gate.sum();
    assertEquals(1, WriterGate.writers(sum));
    assertEquals(PAGES, WriterGate.pages(sum));
    assertEquals(SetRecord.BYTES, WriterGate.bytes(sum));
    assertFalse(lock[0].isOfOneAlone());
    assertTrue(lock[0].tells);
    assertFalse(isFree(lock[0]));
    assertSame(lock[0].record(), writer.record(lock));
    writer.end(lock);
    assertFalse(lock[0].tells);
    assertTrue(isFree(lock[0]));
    assertEquals(0, state.transactions.bytes());
  }

  @Test
  void aRemovalPromisesFewerPages() {
    IndexLock[] lock = many.locks().of(5);
    writer.beginRemoval(many, lock, 5);
    assertEquals(4 + SlotPageStore.CHANGE_SLOTS, WriterGate.pages(gate.sum()));
    assertTrue(lock[0].tells);
    writer.end(lock);
    writer.beginClear(many.pages(), lock);
    assertFalse(lock[0].tells);
    writer.end(lock);
    writer.begin(many.pages(), lock, 10);
    assertEquals(40 + 16 + SlotPageStore.CHANGE_SLOTS, WriterGate.pages(gate.sum()));
    assertEquals(LogRecord.logBytes(190), WriterGate.bytes(gate.sum()));
    writer.end(lock);
  }

  @ParameterizedTest
  @CsvSource({"32740, false", "32741, true", "1000000, true"})
  void whoseRecordIsLargeIsAlone(int bytes, boolean isAlone) {
    for (StoreIndex index : List.of(many, shared)) {
      IndexLock[] lock = index.locks().of(5);
      writer.begin(index.pages(), lock, 1, 0, bytes);
      assertEquals(isAlone, lock[0].isOfOneAlone());
      assertEquals(isAlone, gate.isAlone());
      assertEquals(isAlone ? 0 : 1, WriterGate.writers(gate.sum()));
      assertEquals(isAlone && index == many, isFree(lock[0])); // Nobody else takes those of keys.
      assertEquals(isAlone, writer.record(lock) == state.record);
      writer.end(lock);
      assertFalse(gate.isAlone());
      assertTrue(isFree(lock[0]));
    }
  }

  @ParameterizedTest
  @CsvSource({"8171, false", "8172, true"})
  void whoChangesManyPagesIsAlone(int writes, boolean isAlone) {
    IndexLock[] lock = many.locks().of(5);
    writer.begin(many.pages(), lock, writes, 0, 32, 1 << 20);
    assertEquals(isAlone, gate.isAlone());
    writer.end(lock);
    assertFalse(gate.isAlone());
  }

  @Test
  void whoKeepsVersionsIsAlone() {
    Open one = state.transactions.begin();
    IndexLock[] lock = many.locks().of(1);
    writer.beginSet(many, lock, 1);
    assertTrue(lock[0].isOfOneAlone());
    assertTrue(gate.isAlone());
    assertEquals(1, state.transactions.keysWithVersions());
    writer.end(lock);
    assertFalse(gate.isAlone());
    Open other = state.transactions.begin();
    assertEquals(one.time + 1, other.time);
    state.transactions.end(one);
    state.transactions.end(other);
  }

  @Test
  void aLockIsWaitedForOutsideTheGateAndWithNoOtherOne() {
    StoreIndex other = index("other", DiskFirstFpbPlusTree.VARIANT);
    IndexLock[] locks = {shared.locks().all()[0], other.locks().all()[0]};
    List<Boolean> taken = new ArrayList<>();
    locks[1].take();
    Thread thread =
        waiting(
            () -> {
              writer.begin(shared.pages(), locks, 2, 0, 38);
              taken.add(isFree(locks[0]) || isFree(locks[1]));
              taken.add(locks[0].isOfOneAlone());
              writer.end(locks);
            });
    assertEquals(0, gate.sum());
    assertTrue(isFree(locks[0]));
    locks[1].release();
    await(thread);
    assertEquals(List.of(false, false), taken);
    assertTrue(isFree(locks[1]));
  }

  /**
   * Who is alone waits outside as well, and whoever finds another one alone lets go of the lock.
   */
  @ParameterizedTest
  @ValueSource(ints = {38, 1_000_000})
  void aLockIsNotKeptWhileAnotherThreadIsAlone(int bytes) {
    StoreIndex other = index("other", DiskFirstFpbPlusTree.VARIANT);
    IndexLock[] locks = {shared.locks().all()[0], other.locks().all()[0]};
    List<Boolean> wasAlone = new ArrayList<>();
    locks[1].take();
    Thread thread =
        waiting(
            () -> {
              writer.begin(shared.pages(), locks, 2, bytes);
              wasAlone.add(locks[0].isOfOneAlone());
              writer.end(locks);
            });
    gate.enterAlone();
    locks[1].release();
    while (thread.getState() != Thread.State.WAITING || !isFree(locks[1])) {
      assertTrue(thread.isAlive());
    }
    gate.leaveAlone();
    await(thread);
    assertEquals(List.of(bytes > WriterGate.MOST_BYTES), wasAlone);
    assertTrue(isFree(locks[1]));
  }

  @Test
  void whatCanNotBeKeptIsNotChanged() {
    StoreBytesIndex strings = (StoreBytesIndex) store.bytesIndex("strings");
    byte[] key = {5};
    strings.set(key, key);
    store.checkpoint();
    Open one = state.transactions.begin();
    for (OpenIndex index : List.of(many, strings)) {
      state.pool.invalidation.forget(index.pages());
      files.fail(Kind.READ, Errno.EIO);
      assertThrows(
          PageFileException.class,
          () -> {
            if (index == many) {
              many.set(1, 2);
            } else {
              strings.set(key, new byte[0]);
            }
          });
      assertFalse(gate.isAlone());
    }
    assertEquals(10, many.get(1));
    assertArrayEquals(key, strings.get(key));
    strings.set(key, new byte[0]);
    assertEquals(1, state.transactions.keysWithVersions());
    state.transactions.end(one);
  }

  /** All pages that they pin together are half of the pool. */
  @ParameterizedTest
  @CsvSource({"1, false", "2, true"})
  void oneTooManyIsAlone(int within, boolean isAlone) {
    assertEquals(2, state.pool.frames.sure / (2 * state.pool.mostPins()));
    long promise = WriterGate.promise(1, 48);
    for (int i = 0; i < within; i++) {
      assertEquals(promise, gate.enter(promise));
    }
    IndexLock[] lock = many.locks().of(5);
    boolean[] wasAlone = {!isAlone};
    Runnable write =
        () -> {
          writer.begin(many.pages(), lock, 1);
          wasAlone[0] = lock[0].isOfOneAlone();
          writer.end(lock);
        };
    if (!isAlone) {
      write.run();
    }
    Thread thread = isAlone ? waiting(write) : Thread.currentThread();
    assertEquals(within, WriterGate.writers(gate.sum()));
    for (int i = 0; i < within; i++) {
      gate.leave(promise);
    }
    if (isAlone) {
      await(thread);
    }
    assertEquals(isAlone, wasAlone[0]);
  }

  @Test
  void nobodyIsWithinAfterARefusal() {
    state.condition.noteFailure(new PageFileException(LogCalls.STORE, "says a test", Errno.EIO));
    for (StoreIndex index : List.of(many, shared)) {
      IndexLock[] lock = index.locks().of(5);
      assertThrows(IllegalStateException.class, () -> writer.begin(index.pages(), lock, 1));
      assertTrue(isFree(lock[0]));
      assertEquals(0, gate.sum());
      assertThrows(
          IllegalStateException.class, () -> writer.begin(index.pages(), lock, 1, 0, 1_000_000));
      assertFalse(gate.isAlone());
      assertTrue(isFree(lock[0]));
    }
  }

  @Test
  void othersCanBeKeptOut() {
    assertTrue(writer.tryAlone(1_000_000_000));
    assertTrue(gate.isAlone());
    writer.endAlone();
    assertFalse(gate.isAlone());
    long promise = gate.enter(WriterGate.promise(1, 48));
    boolean[] isAlone = {true};
    await(Thread.ofPlatform().start(() -> isAlone[0] = writer.tryAlone(1)));
    assertFalse(isAlone[0]);
    gate.leave(promise);
  }

  // ---------------------------------------------------------------- room in the log

  /** Begins records until the log needs a segment that is not there. */
  private void fillLog() {
    for (long key = 0; key < 1000; key++) {
      many.set(key, key + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCheckpointMakesRoomInTheLog(boolean isAlone) {
    long before = checkpoint();
    Open one = state.transactions.begin();
    if (!isAlone) {
      state.transactions.end(one);
    }
    files.fail(Kind.GROW, Errno.ENOSPC);
    fillLog();
    state.transactions.end(one);
    assertEquals(before + 1, checkpoint());
    assertEquals(1000, many.size());
    assertFalse(state.condition.hasFailed());
  }

  @Test
  void aDeviceThatFailsEndsAllChanges() {
    files.fail(Kind.GROW, Errno.EIO);
    assertThrows(PageFileException.class, this::fillLog);
    assertTrue(state.condition.hasFailed());
    assertEquals(0, gate.sum());
    long size = many.size();
    assertTrue(size > 100 && size < 1000, "size " + size);
    assertThrows(IllegalStateException.class, () -> many.set(5000, 1));
    assertEquals(size, many.size());
  }

  @Test
  void aNoteIsARecordAndIsKept() {
    long before = state.log.appended();
    byte[] note = {1, 2};
    writer.note(note);
    assertSame(note, state.note);
    assertEquals(before + 1, state.log.appended());
    assertFalse(gate.isAlone());
    state.condition.noteFailure(new PageFileException(LogCalls.STORE, "says a test", Errno.EIO));
    assertThrows(IllegalStateException.class, () -> writer.note(new byte[1]));
    assertSame(note, state.note);
    assertFalse(gate.isAlone());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aNoteFindsRoomAfterACheckpoint(boolean isFull) {
    long before = checkpoint();
    int errno = isFull ? Errno.ENOSPC : Errno.EIO;
    files.fail(Kind.GROW, errno);
    Runnable notes =
        () -> {
          for (int i = 0; i < 20; i++) {
            writer.note(new byte[4000]);
          }
        };
    if (isFull) {
      notes.run();
    } else {
      assertThrows(PageFileException.class, notes::run);
    }
    assertEquals(before + (isFull ? 1 : 0), checkpoint());
    assertEquals(!isFull, state.condition.hasFailed());
    assertFalse(gate.isAlone());
  }

  // ---------------------------------------------------------------- room for pages

  /** Leaves so many slots for changes, on a device that is full. */
  private void leave(int slots) {
    state.pool.frames.lock.lock();
    try {
      while (state.space.available() > slots) {
        state.space.takeLowest();
      }
    } finally {
      state.pool.frames.lock.unlock();
    }
    assertEquals(slots, state.space.available());
    for (int i = 0; i < 20; i++) {
      files.fail(Kind.GROW, Errno.ENOSPC);
    }
  }

  private void fillPages() {
    for (long key = 0; key < 3000; key++) {
      shared.set(key, key);
    }
    store.checkpoint();
    assertTrue(shared.pages().pagesInUse() > 80);
  }

  @Test
  void aRangeIsRemovedAtOnceIfThereIsRoom() {
    fillPages();
    SlotPageStore pages = shared.pages();
    assertEquals(RangeParts.ALL, writer.beginRange(pages, shared.locks().all(), 19));
    assertEquals(
        pages.pagesInUse() + 16 + SlotPageStore.CHANGE_SLOTS, WriterGate.pages(gate.sum()));
    writer.end(shared.locks().all());
  }

  @Test
  void aRangeIsRemovedInPartsOnAFullDevice() {
    fillPages();
    long before = checkpoint();
    leave(130);
    SlotPageStore pages = shared.pages();
    assertEquals(64, state.space.kept());
    assertEquals(32 / 4, writer.beginRange(pages, shared.locks().all(), 19));
    assertEquals(32 + SlotPageStore.CHANGE_SLOTS, WriterGate.pages(gate.sum()));
    writer.end(shared.locks().all());
    assertEquals(before, checkpoint());
  }

  @Test
  void whatFindsNoRoomAfterACheckpointIsRefusedForGood() {
    fillPages();
    long before = checkpoint();
    leave(30);
    IndexLock[] lock = shared.locks().all();
    MemoryLimitException refused =
        assertThrows(MemoryLimitException.class, () -> writer.beginRange(shared.pages(), lock, 19));
    assertFalse(refused.getCause() instanceof NoSlotException, "it is not to be tried again");
    assertEquals(before + 1, checkpoint());
    assertTrue(isFree(lock[0]));
    assertFalse(gate.isAlone());
    assertEquals(0, gate.sum());
    assertFalse(state.condition.hasFailed());
  }

  private static MemoryLimitException refusal() {
    PageFileException full = new PageFileException(LogCalls.STORE, "says a test", Errno.ENOSPC);
    return new NoSlotException(full).asLimit();
  }

  @Test
  void aWriteThatItsTreeRefusedIsMadeAgainAfterACheckpoint() {
    many.set(5, 5);
    long before = checkpoint();
    writer.makeRoomAfter(refusal(), 0);
    assertEquals(before + 1, checkpoint());
    writer.makeRoomAfter(refusal(), 0); // Another thread has made one.
    assertEquals(before + 1, checkpoint());
    MemoryLimitException again = refusal();
    assertSame(
        again, assertThrows(MemoryLimitException.class, () -> writer.makeRoomAfter(again, 1)));
    many.set(6, 6);
    writer.makeRoomAfter(refusal(), 2);
    assertEquals(before + 2, checkpoint());
    many.set(7, 7);
    assertSame(
        again, assertThrows(MemoryLimitException.class, () -> writer.makeRoomAfter(again, 3)));
    MemoryLimitException other = new MemoryLimitException("says a test");
    assertSame(
        other, assertThrows(MemoryLimitException.class, () -> writer.makeRoomAfter(other, 0)));
    assertEquals(before + 2, checkpoint());
  }

  // ---------------------------------------------------------------- durable

  @Test
  void everyWriteIsForcedIfThatIsPromised() {
    store.close();
    open(OPTIONS.withDurability(Durability.EVERY_WRITE));
    many = index("many", state.newVariant());
    shared = index("shared", DiskFirstFpbPlusTree.VARIANT);
    long forces = state.log.forces();
    many.set(5, 5);
    assertEquals(state.log.appended(), state.log.forced());
    assertEquals(forces + 1, state.log.forces());
    shared.delete(1);
    store.write(new WriteBatch().set(many, 6, 6).set(shared, 7, 7));
    assertEquals(state.log.appended(), state.log.forced());
    assertEquals(forces + 3, state.log.forces());
    store.commit(); // Has nothing to do.
    assertEquals(forces + 3, state.log.forces());
  }

  @Test
  void elseWritesAreForcedTogether() {
    long forces = state.log.forces();
    many.set(5, 5);
    shared.delete(1);
    store.write(new WriteBatch().set(many, 6, 6).set(shared, 7, 7));
    assertEquals(state.log.appended() - 3, state.log.forced());
    assertFalse(files.calls().stream().anyMatch(call -> call.startsWith("FORCE")));
    store.commit();
    assertEquals(state.log.appended(), state.log.forced());
    assertEquals(forces + 1, state.log.forces());
    store.commit();
    assertEquals(forces + 1, state.log.forces());
  }

  @Test
  void whoOnlyReadsCommitsNothing() {
    store.close();
    open(OPTIONS.withFiles(OPTIONS.files().withFlags(FileOption.READ_ONLY)));
    store.commit();
    assertNull(state.log);
    shared = index("shared", DiskFirstFpbPlusTree.VARIANT);
    store.close();
    open(OPTIONS);
    shared = index("shared", DiskFirstFpbPlusTree.VARIANT);
  }

  /** Only the log is told here, and no tree. */
  @Test
  void whatTheLogIsToldIsCarriedOutAgain() {
    StoreBytesIndex strings = (StoreBytesIndex) store.bytesIndex("strings");
    byte[] removed = {7};
    byte[] key = {5};
    byte[] value = {5, 0};
    strings.set(removed, value);
    shared.set(7, 7);
    IndexLock[] lock = shared.locks().all();
    writer.begin(shared.pages(), lock, 4);
    long before = state.log.appended();
    assertEquals(before + 1, writer.appendSet(shared.id(), 5, 50));
    assertEquals(before + 2, writer.appendDelete(lock[0], shared.id(), 7));
    assertEquals(
        before + 3,
        writer.appendSet(
            lock[0], strings.id(), MemorySegment.ofArray(key), MemorySegment.ofArray(value)));
    assertEquals(
        before + 4, writer.appendDelete(lock[0], strings.id(), MemorySegment.ofArray(removed)));
    writer.end(lock);
    store.commit();
    disk.losePower();
    assertThrows(RuntimeException.class, store::close);
    disk.restart(CrashPlan.NOTHING);
    open(OPTIONS);
    shared = index("shared", DiskFirstFpbPlusTree.VARIANT);
    assertEquals(50, shared.get(5));
    assertFalse(shared.containsKey(7));
    assertArrayEquals(value, store.bytesIndex("strings").get(key));
    assertFalse(store.bytesIndex("strings").containsKey(removed));
  }

  // ---------------------------------------------------------------- changes of many entries

  @Test
  void aChangeThatEndsHalfwayEndsAll() {
    assertEquals(77, writer.whole(() -> 77));
    IllegalArgumentException refused = new IllegalArgumentException("says a test");
    assertSame(
        refused,
        assertThrows(
            IllegalArgumentException.class,
            () ->
                writer.whole(
                    () -> {
                      throw refused;
                    })));
    assertTrue(state.condition.isUsable());
    IllegalStateException failed = new IllegalStateException("says a test");
    assertSame(
        failed,
        assertThrows(
            IllegalStateException.class,
            () ->
                writer.whole(
                    () -> {
                      throw failed;
                    })));
    assertTrue(state.condition.isHalfway());
  }

  @Test
  void whatTheLogIsNotToldOfEndsInACheckpointBeforeAnyOther() {
    long before = checkpoint();
    long sequence = state.log.appended();
    IndexLock[] locks = many.locks().all();
    writer.beginUnlogged(many.pages(), locks);
    assertTrue(gate.isAlone());
    Thread thread = waiting(store::checkpoint);
    writer.skip();
    assertEquals(before + 1, checkpoint());
    assertEquals(sequence + 1, state.log.appended());
    assertEquals(sequence + 1, state.header.sequence());
    assertTrue(gate.isAlone());
    writer.endUnlogged(locks);
    assertFalse(gate.isAlone());
    await(thread);
    assertEquals(before + 2, checkpoint());
  }

  @Test
  void aChangeWithoutTheLogThatIsRefusedKeepsNobodyOut() {
    state.condition.noteFailure(new PageFileException(LogCalls.STORE, "says a test", Errno.EIO));
    assertThrows(
        IllegalStateException.class, () -> writer.beginUnlogged(many.pages(), many.locks().all()));
    List<RuntimeException> refused = new ArrayList<>();
    await(
        Thread.ofPlatform()
            .start(
                () ->
                    refused.add(
                        assertThrows(IllegalStateException.class, () -> store.checkpoint()))));
    assertEquals(1, refused.size());
  }

  @Test
  void aChangeWithoutTheLogIsHalfwayIfItsCheckpointFails() {
    IndexLock[] locks = many.locks().all();
    writer.beginUnlogged(many.pages(), locks);
    files.fail(Kind.FORCE, Errno.EIO);
    assertThrows(PageFileException.class, writer::skip);
    writer.endUnlogged(locks);
    assertTrue(state.condition.isHalfway());
  }

  @Test
  void writesThatHaveFailedAreTakenBackWhenTheirLocksAreFree() {
    long before = checkpoint();
    IndexLock[] lock = many.locks().of(5);
    writer.begin(many.pages(), lock, 1);
    lock[0].failed = new IllegalStateException("says a test");
    writer.end(lock);
    assertEquals(before + 1, checkpoint());
    assertNull(lock[0].failed);
    assertTrue(isFree(lock[0]));
    assertTrue(state.condition.isUsable());
  }

  // ---------------------------------------------------------------- a new index

  private int reserved() {
    SlotSpace space = state.space;
    assertTrue(space.available() > 0);
    return space.room() - space.first() - space.busyCount() - space.available();
  }

  @Test
  void thereIsRoomForWhatIsToldOfANewIndex() {
    IndexPages made = new IndexPages(77, "made", "none", StoredCodecs.LONGS, PAGE_BYTES);
    int before = reserved();
    long sequence = state.log.appended();
    gate.enterAlone();
    writer.beginMaking(made);
    assertTrue(reserved() > before);
    assertEquals(sequence, state.log.appended());
    assertEquals(sequence + 1, writer.make(made));
    gate.leaveAlone();
    state.indexes.put("made", made); // So that the log is right.
  }

  @Test
  void anIndexForWhichThereIsNoRoomIsNotMade() {
    leave(0);
    assertThrows(MemoryLimitException.class, () -> store.index("made"));
    assertEquals(List.of("many", "shared"), store.names());
    assertFalse(gate.isAlone());
    assertFalse(state.condition.hasFailed());
  }
}
