// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each write does before and after the change itself, and what is left if it is refused. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreWriterTest extends StoreWriterTrial {
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
    OpenTransaction one = state.transactions.begin();
    IndexLock[] lock = many.locks().of(1);
    writer.beginSet(many, lock, 1);
    assertTrue(lock[0].isOfOneAlone());
    assertTrue(gate.isAlone());
    assertEquals(1, state.transactions.keysWithVersions());
    writer.end(lock);
    assertFalse(gate.isAlone());
    OpenTransaction other = state.transactions.begin();
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
              writer.begin(shared.pages(), locks, 2, 0, bytes);
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
    OpenTransaction one = state.transactions.begin();
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
  void oneTooManyWaitsForOneOfThem(int within, boolean waits) {
    assertEquals(2, state.pool.frames.sure / (2 * state.pool.mostPins()));
    List<Long> entered = new ArrayList<>();
    for (int i = 0; i < within; i++) {
      entered.add(gate.enter(WriterGate.promise(1, 48)));
    }
    IndexLock[] lock = many.locks().of(5);
    boolean[] wasAlone = {true};
    Runnable write =
        () -> {
          writer.begin(many.pages(), lock, 1);
          wasAlone[0] = lock[0].isOfOneAlone();
          writer.end(lock);
        };
    if (waits) {
      Thread thread = waiting(write);
      assertEquals(within, WriterGate.writers(gate.sum()));
      gate.leave(entered.removeLast());
      await(thread);
    } else {
      write.run();
    }
    assertFalse(wasAlone[0]);
    assertEquals(1, WriterGate.writers(gate.sum()));
    entered.forEach(gate::leave);
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
}
