// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import dev.espalier.memory.MemoryLimitException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How writes find room in the log and for their pages, or are refused. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreWriterRoomTest extends StoreWriterTrial {
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
    OpenTransaction one = state.transactions.begin();
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
