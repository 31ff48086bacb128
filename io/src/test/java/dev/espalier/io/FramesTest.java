// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of frames, without a pool: pins, hits, versions, and who may have a frame when. */
class FramesTest {
  private static final int PAGE_BYTES = 256;

  /** In two chunks of notes. */
  private static final int COUNT = 700;

  private static final int PAGE = 7;

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final BufferPool pool = BufferPool.withRooms(4, PAGE_BYTES, 1, 2);
  private final AtomicInteger changedPages = new AtomicInteger();
  private final SlotPageStore store = store("one", changedPages);
  private final SlotPageStore other = store("two", new AtomicInteger());
  private final Arena arena = Arena.ofShared();
  private boolean mayGrow = true;
  private final Frames frames =
      new Frames(arena.allocate((long) COUNT * PAGE_BYTES + 100), 8, 900, () -> mayGrow);

  private SlotPageStore store(String name, AtomicInteger changed) {
    PageFile file = disk.openPages(SimulatedDisk.path(name), Access.CREATE, PAGE_BYTES);
    file.grow(StoreHeader.areaBytes(PAGE_BYTES));
    SlotPageStore made =
        new SlotPageStore(
            file,
            pool,
            new StoreCondition(file.path(), name, false),
            changed,
            new IndexPages(0, name, "none", StoredCodecs.LONGS, PAGE_BYTES),
            new SlotSpace(file, PAGE_BYTES, null),
            () -> 1,
            new WriterGate(),
            false);
    pool.enter(made);
    return made;
  }

  @AfterEach
  void close() {
    for (SlotPageStore each : new SlotPageStore[] {store, other}) {
      IntStream.rangeClosed(1, each.mostPages()).forEach(each::unmap); // They are not the pool's.
      each.close();
      each.file.close();
    }
    pool.close();
    arena.close();
  }

  /** Returns the flags of a frame. */
  private int bits(int frame) {
    return (int) frames.state(frame) & ((1 << 21) - 1);
  }

  private long version(int frame) {
    return frames.state(frame) >>> Integer.SIZE;
  }

  /** Takes a frame into use, and has it have a page, with some bits. */
  private int frame(int bits) {
    int frame = frames.takeIntoUse();
    frames.assign(frame, store, PAGE);
    frames.makePinnable(frame, bits);
    return frame;
  }

  // ---------------------------------------------------------------- use

  @Test
  void framesAreTakenIntoUseOneAfterAnotherWhileThereMayBeMore() {
    assertEquals(COUNT, frames.count);
    assertEquals(COUNT, frames.sure);
    assertEquals(0, frames.inUse());
    mayGrow = false;
    assertEquals(Frames.NONE, frames.takeIntoUse());
    assertEquals(0, frames.inUse());
    mayGrow = true;
    for (int frame = 0; frame < COUNT; frame++) {
      assertFalse(frames.tryHit(store, PAGE, frame)); // Its notes may not be there yet.
      assertEquals(frame, frames.takeIntoUse());
      assertEquals(frame + 1, frames.inUse());
      assertEquals(Frames.BUSY, bits(frame));
      assertNull(frames.owner(frame));
    }
    assertEquals(Frames.NONE, frames.takeIntoUse());
    assertEquals(COUNT, frames.inUse());
    assertEquals(0, frames.hits());
    assertEquals(5, new Frames(frames.memory(), 8, 5, () -> true).sure);
  }

  @Test
  void framesLieOneBehindAnother() {
    assertEquals(PAGE_BYTES, frames.pageBytes());
    assertEquals(8, frames.pageShift());
    assertEquals(3 * PAGE_BYTES, frames.offset(3));
    assertEquals(3, frames.frameAt(3 * PAGE_BYTES));
    assertEquals(3, frames.frameAt(4 * PAGE_BYTES - 1));
    assertEquals(1L << 36, frames.offset(1 << 28));
    assertEquals(1 << 28, frames.frameAt(1L << 36));
  }

  // ---------------------------------------------------------------- pin

  @Test
  void aPageThatIsThereIsPinned() {
    int frame = frame(Frames.AHEAD);
    assertTrue(frames.tryHit(store, PAGE, frame));
    assertEquals(Frames.USED | 1, bits(frame));
    assertEquals(1, frames.hits());
    assertTrue(frames.tryPin(store, PAGE, frame));
    assertEquals(Frames.USED | 2, bits(frame));
    assertEquals(1, frames.hits());
    frames.unpin(frames.offset(frame) + 5);
    frames.unpin(frames.offset(frame));
    assertEquals(Frames.USED, bits(frame));
  }

  @Test
  void anotherPageIsNotPinnedAndNoHit() {
    int frame = frame(0);
    assertFalse(frames.tryHit(store, PAGE + 1, frame));
    assertFalse(frames.tryHit(other, PAGE, frame));
    assertFalse(frames.tryPin(other, PAGE, frame));
    assertEquals(0, bits(frame) & Frames.PINS);
    assertEquals(0, frames.hits());
    frames.set(frame, Frames.BUSY);
    assertFalse(frames.tryHit(store, PAGE, frame));
    assertEquals(0, bits(frame) & Frames.PINS);
  }

  @Test
  void aPageHasSoManyPinsAndNoMore() {
    int frame = frame(0);
    assertTrue(frames.replace(frame, frames.state(frame), frames.state(frame) + 32767));
    assertFalse(frames.hasMostPins(frame));
    assertTrue(frames.tryPin(store, PAGE, frame));
    assertTrue(frames.hasMostPins(frame));
    assertFalse(frames.tryPin(store, PAGE, frame));
    assertFalse(frames.tryHit(store, PAGE, frame));
    assertEquals(32768, bits(frame) & Frames.PINS);
    assertEquals(0, frames.hits());
  }

  @Test
  void noHitIsLostHoweverManyThereAre() {
    int[] both = {frame(0), frame(0)};
    store.map(PAGE, both[0]);
    for (int hits = 1; hits <= 5000; hits++) {
      assertTrue(frames.tryHit(store, PAGE, both[hits % 2]));
      frames.unpin(frames.offset(both[hits % 2]));
      assertEquals(hits, frames.hits());
    }
    frames.addHits(7);
    assertEquals(5007, frames.hits());
    assertEquals(0, version(both[0]));
  }

  // ---------------------------------------------------------------- look

  @Test
  void aLookWritesNothingIfThePageWasUsedLately() {
    int frame = frame(Frames.USED);
    long before = frames.state(frame);
    long look = frames.look(store, PAGE, frame);
    assertTrue(look >= 0);
    assertEquals(before, frames.state(frame));
    assertEquals(frames.offset(frame), frames.offsetOf(look));
    assertTrue(frames.isStill(look));
    assertEquals(0, frames.makeBusy(frame, 0) & Frames.PINS);
    assertFalse(frames.isStill(look));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, Frames.AHEAD, Frames.AHEAD | Frames.USED, Frames.CHANGED})
  void aLookNotesThatThePageIsUsed(int bits) {
    int frame = frame(bits);
    assertTrue(frames.look(store, PAGE, frame) >= 0);
    assertEquals((bits | Frames.USED) & ~Frames.AHEAD, bits(frame));
  }

  @Test
  void nothingIsSeenWhereThePageIsNot() {
    int frame = frame(0);
    assertEquals(Frames.NONE, frames.look(store, PAGE + 1, frame));
    assertEquals(Frames.NONE, frames.look(other, PAGE, frame));
    assertEquals(0, bits(frame));
    frames.set(frame, Frames.BUSY);
    assertEquals(Frames.NONE, frames.look(store, PAGE, frame));
  }

  @Test
  void aLookIsOfOneVersionOfItsFrame() {
    int frame = frame(0);
    frames.takeIntoUse();
    for (int version = 0; version < 3; version++) {
      assertEquals(version, version(frame));
      long look = frames.look(store, PAGE, frame);
      assertEquals(frames.offset(frame), frames.offsetOf(look));
      assertTrue(frames.tryHit(store, PAGE, frame));
      frames.unpinChanged(store, frames.offset(frame));
      assertTrue(frames.isStill(look)); // Pins and flags are no other version.
      assertTrue(frames.makeBusy(frame, 0) >= 0);
      assertFalse(frames.isStill(look));
      frames.makePinnable(frame, 0);
      assertFalse(frames.isStill(look));
      assertEquals(version + 1L, frames.hits());
    }
  }

  // ---------------------------------------------------------------- change

  @Test
  void changedPagesAreCountedOnce() {
    int frame = frame(0);
    for (int times = 0; times < 2; times++) {
      assertTrue(frames.tryPin(store, PAGE, frame));
      frames.unpinChanged(store, frames.offset(frame));
      assertTrue(frames.isChanged(frame));
      assertTrue(frames.isUnwritten(frame));
      assertEquals(0, bits(frame) & Frames.PINS);
      assertEquals(1, changedPages.get());
    }
    frames.set(frame, Frames.CHANGED | Frames.USED);
    assertEquals(1, changedPages.get());
    frames.clear(frame, Frames.CHANGED);
    assertEquals(0, changedPages.get());
    assertFalse(frames.isChanged(frame));
    frames.clear(frame, Frames.CHANGED | Frames.USED);
    assertEquals(0, changedPages.get());
    frames.set(frame, Frames.CHANGED);
    assertEquals(1, changedPages.get());
    long state = frames.state(frame);
    assertFalse(frames.replace(frame, state + 1, state & ~Frames.CHANGED));
    assertEquals(1, changedPages.get());
    assertTrue(frames.replace(frame, state, state & ~Frames.CHANGED));
    assertEquals(0, changedPages.get());
    frames.disown(frame);
    frames.set(frame, Frames.CHANGED); // Nobody's.
    assertEquals(0, changedPages.get());
  }

  @Test
  void aPageMayComeChanged() {
    frame(Frames.CHANGED);
    assertEquals(1, changedPages.get());
    int frame = frame(Frames.USED);
    assertEquals(1, changedPages.get());
    assertFalse(frames.isUnwritten(frame));
    assertEquals(Frames.USED, bits(frame));
  }

  // ---------------------------------------------------------------- owner

  @Test
  void aFrameKnowsItsPageAndThePageItsFrame() {
    frame(0);
    int frame = frame(0);
    assertEquals(PAGE, frames.page(frame));
    assertSame(store, frames.owner(frame));
    assertEquals(frame, store.frameOf(PAGE));
    long key = frames.key(frame);
    assertEquals(frame, Frames.frameOf(key));
    assertEquals(PAGE, Frames.pageOf(key));
    assertTrue(frames.holds(store, key));
    assertFalse(frames.holds(other, key));
    assertFalse(frames.holds(store, key + (1L << 32)));
    frames.disown(frame);
    assertEquals(Frames.NONE, store.frameOf(PAGE));
    assertNull(frames.owner(frame));
    assertFalse(frames.holds(store, key));
    frames.disown(frame);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 100})
  void theFramesOfAStoreAreFound(int inUse) {
    for (int i = 0; i < inUse; i++) {
      int frame = frames.takeIntoUse();
      if (i == 0 || i == 2) {
        frames.assign(frame, store, 5 + i);
      } else if (i == 1) {
        frames.assign(frame, other, 5);
      }
    }
    assertEquals(15, store.mostPages());
    assertEquals(IntStream.of(0, 2).boxed().toList(), frames.of(store).boxed().toList());
    assertEquals(IntStream.of(1).boxed().toList(), frames.of(other).boxed().toList());
  }

  // ---------------------------------------------------------------- write

  @ParameterizedTest
  @CsvSource({"0, true", "1, false"})
  void aPageThatIsWrittenIsBusyUnlessItIsPinned(int pins, boolean isBusy) {
    int frame = frame(Frames.CHANGED | Frames.USED);
    for (int i = 0; i < pins; i++) {
      assertTrue(frames.tryPin(store, PAGE, frame));
    }
    long version = version(frame);
    assertTrue(frames.beginWrite(frame));
    assertEquals(0, changedPages.get());
    assertEquals(Frames.WRITING | Frames.USED | (isBusy ? Frames.BUSY : 0) | pins, bits(frame));
    assertTrue(frames.isBeingWritten(frame));
    assertTrue(frames.isUnwritten(frame));
    assertFalse(frames.beginWrite(frame));
    assertEquals(version, version(frame));
    frames.endWrite(frame, true);
    assertEquals(Frames.USED | pins, bits(frame));
    assertEquals(0, changedPages.get());
    assertFalse(frames.isUnwritten(frame));
  }

  @Test
  void aPageThatCouldNotBeWrittenIsChangedAsBefore() {
    int frame = frame(Frames.CHANGED);
    assertTrue(frames.beginWrite(frame));
    frames.endWrite(frame, false);
    assertEquals(Frames.CHANGED, bits(frame));
    assertEquals(1, changedPages.get());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        Frames.BUSY | Frames.CHANGED,
        Frames.WRITING | Frames.CHANGED,
        Frames.WRITING,
        Frames.USED
      })
  void onlyWhatIsChangedAndNotBusyIsWritten(int bits) {
    int frame = frame(bits);
    assertFalse(frames.beginWrite(frame));
    assertEquals(bits, bits(frame));
  }

  // ---------------------------------------------------------------- leave

  @ParameterizedTest
  @ValueSource(ints = {1, Frames.BUSY, Frames.WRITING, Frames.CHANGED, Frames.USED})
  void aFrameThatIsInUseIsNotMadeBusy(int bits) {
    int frame = frame(bits);
    long before = frames.state(frame);
    assertEquals(-1, frames.makeBusy(frame, Frames.CHANGED | Frames.USED));
    assertEquals(before, frames.state(frame));
  }

  @Test
  void aFrameThatIsMadeBusyHasAnotherVersionAndKeepsItsHits() {
    int frame = frame(Frames.AHEAD | Frames.CHANGED);
    frames.addHits(1);
    assertEquals(Frames.AHEAD | Frames.CHANGED, frames.makeBusy(frame, 0));
    assertEquals(Frames.BUSY, bits(frame));
    assertEquals(1, version(frame));
    assertEquals(0, changedPages.get());
    frames.makePinnable(frame, Frames.USED);
    assertTrue(frames.tryHit(store, PAGE, frame));
    frames.unpin(frames.offset(frame));
    assertEquals(Frames.USED, frames.makeBusy(frame, 0));
    assertEquals(2, version(frame));
    assertEquals(2, frames.hits());
    assertNotEquals(0, frames.state(frame) >>> 21 & 1);
  }
}
