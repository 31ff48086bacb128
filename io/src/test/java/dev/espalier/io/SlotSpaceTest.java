// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.SlotTrials.FIRST;
import static dev.espalier.io.SlotTrials.PAGE_BYTES;
import static dev.espalier.io.SlotTrials.checkpoint;
import static dev.espalier.io.SlotTrials.take;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The slots of a file, without pages: which are free, and when they become so. */
class SlotSpaceTest {
  private final SimulatedDisk disk = DiskTrials.disk(1);
  private PageFile file = disk.openPages(LogCalls.STORE, Access.CREATE, PAGE_BYTES);

  @AfterEach
  void close() {
    file.close();
  }

  private SlotSpace space(long slots) {
    return SlotTrials.space(file, slots);
  }

  /** Answers as a device that has room for so many slots. */
  private void limit(long slots) {
    file =
        new PageFileAround(file) {
          @Override
          public void grow(long bytes) {
            if (bytes > slots * PAGE_BYTES) {
              throw new PageFileException(path(), "full, says a test", Errno.ENOSPC);
            }
            super.grow(bytes);
          }
        };
  }

  // ---------------------------------------------------------------- places

  @Test
  void slotsLieBehindTheHeaders() {
    SlotSpace space = space(16);
    assertEquals(FIRST, space.first());
    assertEquals(16, space.room());
    assertEquals(3 * PAGE_BYTES, space.position(3));
    assertEquals(5L << 32, space.position(5 << 20));
    assertEquals(3, space.slotAt(3 * PAGE_BYTES));
    assertEquals(3, space.slotAt(4 * PAGE_BYTES - 1));
    assertEquals(32, new SlotSpace(file, 512, null).first());
    assertEquals(FIRST, new SlotSpace(file, 8192, null).first());
  }

  @Test
  void whatIsTakenIsWrittenInPlaceUntilItIsCaptured() {
    SlotSpace space = space(16);
    int slot = space.take();
    assertEquals(FIRST, slot);
    assertTrue(space.isFresh(slot));
    assertTrue(space.isWritten(slot));
    assertFalse(space.isWritten(FIRST - 1));
    assertFalse(space.isWritten(PageMap.UNWRITTEN));
    assertFalse(space.isFresh(slot + 1));
    space.capture();
    assertFalse(space.isFresh(slot));
    assertTrue(space.isWritten(slot));
  }

  // ---------------------------------------------------------------- take

  @Test
  void slotsAreTakenOneBehindAnotherAndThenFromTheBeginning() {
    SlotSpace space = space(10);
    assertArrayEquals(new int[] {4, 5, 6}, take(space, 3));
    space.release(5);
    assertArrayEquals(new int[] {7, 8, 9}, take(space, 3));
    assertEquals(5, space.take());
    assertEquals(6, space.busyCount());
    assertEquals(10, space.room());
    assertEquals(10, space.take()); // The file grows.
  }

  @Test
  void theLowestFreeSlotIsTakenForPagesOfMaps() {
    SlotSpace space = space(20);
    take(space, 5);
    assertEquals(9, space.takeLowest());
    space.release(6);
    space.release(5);
    assertEquals(5, space.takeLowest());
    assertEquals(6, space.takeLowest());
    assertEquals(10, space.takeLowest());
    assertEquals(11, space.take());
    space.release(4);
    assertEquals(4, space.takeLowest());
    assertEquals(8, space.busyCount());
  }

  @Test
  void anyFreeSlotIsTakenWhereATestWantsThat() {
    file.grow(64 * PAGE_BYTES);
    int[] next = {50, 60, 63, 63, 10};
    int[] asked = {0};
    RandomGenerator scatter =
        new RandomGenerator() {
          @Override
          public long nextLong() {
            throw new AssertionError();
          }

          @Override
          public int nextInt(int from, int to) {
            assertEquals(FIRST, from);
            assertEquals(64, to);
            return next[asked[0]++];
          }
        };
    SlotSpace space = new SlotSpace(file, PAGE_BYTES, scatter);
    assertEquals(50, space.take());
    assertEquals(60, space.takeLowest());
    assertEquals(63, space.take());
    assertEquals(4, space.take());
    assertEquals(10, space.takeLowest());
    assertEquals(5, space.takeBelow(64));
    assertEquals(6, space.takeBelow(64));
  }

  // ---------------------------------------------------------------- grow

  /** By an eighth, but by 256 slots at least and by 16384 at most. */
  @ParameterizedTest
  @CsvSource({
    "4, 260",
    "1024, 1280",
    "2048, 2304",
    "4096, 4608",
    "131072, 147456",
    "262144, 278528"
  })
  void aFileGrowsGenerously(int slots, int grown) {
    SlotSpace space = space(slots);
    space.ensureFree(slots - FIRST);
    assertEquals(slots, space.room());
    space.ensureFree(slots - FIRST + 1);
    assertEquals(grown, space.room());
    assertEquals((long) grown * PAGE_BYTES, file.bytes());
    assertEquals(grown - FIRST, space.available());
  }

  @Test
  void aFileGrowsByWhatIsNeededIfThatIsMore() {
    SlotSpace space = space(4);
    space.ensureFree(1000);
    assertEquals(1004, space.room());
  }

  @Test
  void aFileGrowsByWhatIsNeededIfThereIsNoRoomForMore() {
    limit(10);
    SlotSpace space = space(4);
    space.ensureFree(3);
    assertEquals(7, space.room());
    space.ensureFree(6);
    assertEquals(10, space.room());
    NoSlotException full = assertThrows(NoSlotException.class, () -> space.ensureFree(7));
    assertTrue(full.getMessage().contains("full, says a test"), full.getMessage());
    assertEquals(10, space.room());
    take(space, 6);
    assertThrows(NoSlotException.class, space::take);
    assertThrows(NoSlotException.class, space::takeLowest);
    assertThrows(NoSlotException.class, () -> space.takeRun(1));
    assertEquals(6, space.busyCount());
    assertEquals(0, space.available());
  }

  @Test
  void noFileHasMoreSlotsThanThereAreNumbers() {
    SlotSpace space = space(8);
    NoSlotException full =
        assertThrows(NoSlotException.class, () -> space.ensureFree(Integer.MAX_VALUE));
    assertTrue(full.getMessage().contains("has the most pages"), full.getMessage());
    assertEquals(8, space.room());
    limit(9);
    SlotSpace limited = new SlotSpace(file, PAGE_BYTES, null);
    NoSlotException other =
        assertThrows(
            NoSlotException.class,
            () -> limited.ensureFree(Integer.MAX_VALUE - 8 - FIRST)); // The most there can be.
    assertTrue(other.getMessage().contains("full, says a test"), other.getMessage());
  }

  @Test
  void aFailureThatDoesNotSayThatTheDeviceIsFullIsOne() {
    PageFile failing =
        new PageFileAround(file) {
          @Override
          public void grow(long bytes) {
            throw new PageFileException(path(), "failed, says a test", Errno.EIO);
          }
        };
    SlotSpace space = new SlotSpace(failing, PAGE_BYTES, null);
    PageFileException failed = assertThrows(PageFileException.class, space::take);
    assertFalse(failed instanceof NoSlotException);
  }

  @ParameterizedTest
  @CsvSource({"ENOSPC, true", "EDQUOT, true", "EFBIG, true", "EIO, false", "EINVAL, false"})
  void someFailuresSayThatThereIsNoRoom(String name, boolean isFull) throws Exception {
    int errno = (int) Errno.class.getDeclaredField(name).get(null);
    assertEquals(
        isFull, SlotSpace.isFull(new PageFileException(file.path(), "says a test", errno)));
  }

  // ---------------------------------------------------------------- reserve

  @Test
  void whatIsReservedIsNotAvailable() {
    SlotSpace space = space(104);
    assertEquals(0, space.available()); // It was not asked to count yet.
    space.reserve(10);
    assertEquals(90, space.available());
    space.reserveMore(5);
    assertEquals(85, space.available());
    take(space, 3);
    assertEquals(82, space.available());
    space.takeLowest();
    space.takeRun(2);
    assertEquals(79, space.available());
    space.release(4);
    assertEquals(80, space.available());
    space.ensureAvailable(80);
    assertEquals(104, space.room());
    space.ensureAvailable(81);
    assertEquals(360, space.room());
    space.reserve(1000);
    assertEquals(0, space.available());
  }

  @ParameterizedTest
  @CsvSource({"16, 64", "4096, 64", "4160, 65", "262144, 4096", "300000, 4096"})
  void writesLeaveAPartOfTheSlotsForRemovals(int slots, int kept) {
    assertEquals(kept, space(slots).kept());
  }

  @Test
  void nothingIsAvailableWhileTheDeviceRefusesPages() {
    SlotSpace space = space(104);
    space.reserve(10);
    NoSlotException refusal =
        new NoSlotException(new PageFileException(file.path(), "says a test", Errno.ENOSPC));
    space.noteRoom();
    space.noteRefusal(refusal);
    assertEquals(0, space.available());
    assertSame(refusal, assertThrows(NoSlotException.class, () -> space.ensureAvailable(1)));
    assertEquals(4, space.take()); // For pages that are to be written all the same.
    assertEquals(0, space.available());
    space.noteRoom();
    assertEquals(89, space.available());
    space.ensureAvailable(1);
    space.noteRefusal(refusal);
    space.noteWritten(4);
    assertEquals(89, space.available());
    assertEquals(1, space.writtenCount());
  }

  // ---------------------------------------------------------------- runs

  @Test
  void pagesThatAreReadTogetherLieTogetherAndAreNotWrittenYet() {
    SlotSpace space = space(20);
    take(space, 10);
    for (int slot : new int[] {5, 8, 9, 11}) {
      space.release(slot);
    }
    assertArrayEquals(new int[] {8, 9}, space.takeRun(2));
    assertFalse(space.isWritten(8));
    assertFalse(space.isWritten(9));
    assertTrue(space.isFresh(9));
    space.noteWritten(9);
    assertTrue(space.isWritten(9));
    assertFalse(space.isWritten(8));
    assertArrayEquals(new int[] {5}, space.takeRun(1));
    assertArrayEquals(new int[] {14, 15, 16, 17, 18, 19}, space.takeRun(6));
    assertEquals(20, space.room());
    assertArrayEquals(new int[] {20, 21}, space.takeRun(2));
    assertEquals(276, space.room());
    space.release(8);
    assertTrue(space.isWritten(8)); // Whoever takes it next writes it at once.
    assertEquals(16, space.busyCount());
  }

  @Test
  void theFileGrowsByWhatARunNeeds() {
    SlotSpace space = space(20);
    take(space, 1);
    assertEquals(5, space.takeRun(300)[0]);
    assertEquals(305, space.room());
  }

  @Test
  void pagesLieApartIfTheDeviceHasNoRoomForThemTogether() {
    limit(14);
    SlotSpace space = space(14);
    take(space, 10);
    for (int slot : new int[] {5, 8, 11, 12}) {
      space.release(slot);
    }
    assertArrayEquals(new int[] {11, 12}, space.takeRun(2));
    space.release(11);
    space.release(12);
    assertArrayEquals(new int[] {5, 8, 11, 12}, space.takeRun(4));
    space.release(5);
    assertThrows(NoSlotException.class, () -> space.takeRun(2));
    assertEquals(9, space.busyCount());
    assertTrue(space.account().unwritten().get(8));
  }

  // ---------------------------------------------------------------- checkpoints

  @Test
  void whatIsReleasedIsFreeAtOnceOnlyIfNoCheckpointRefersToIt() {
    SlotSpace space = space(40);
    space.reserve(0);
    take(space, 3);
    space.release(4);
    assertEquals(2, space.busyCount());
    assertEquals(34, space.available());
    checkpoint(space);
    assertEquals(2, space.busyCount());
    space.release(5);
    assertEquals(2, space.busyCount());
    assertTrue(space.hasSlotsOfLastOnly());
    space.capture();
    assertEquals(2, space.busyCount());
    assertTrue(space.hasSlotsOfLastOnly());
    space.settle();
    assertEquals(1, space.busyCount());
    assertFalse(space.hasSlotsOfLastOnly());
    assertEquals(35, space.available());
    assertEquals(4, space.takeLowest()); // It looks from the beginning again.
  }

  @Test
  void whatWasCapturedIsBusyUntilTheNextCheckpointIsDurable() {
    SlotSpace space = space(40);
    take(space, 2);
    space.capture();
    space.release(4);
    assertEquals(2, space.busyCount());
    assertEquals(6, space.take());
    space.settle();
    assertEquals(3, space.busyCount());
    assertTrue(space.isFresh(6));
    checkpoint(space);
    assertEquals(2, space.busyCount());
    assertEquals(7, space.end());
    assertEquals(FIRST, space.capturedEnd()); // Nothing is captured any more.
  }

  @Test
  void slotsThatWereNotWrittenAreNotCaptured() {
    SlotSpace space = space(40);
    take(space, 2);
    space.takeRun(3);
    space.noteWritten(7);
    space.capture();
    assertEquals(8, space.capturedEnd());
    assertTrue(space.isFresh(6));
    assertTrue(space.isFresh(8));
    assertFalse(space.isFresh(7));
    space.settle();
    SlotSpace.Account account = space.account();
    assertEquals(BitSet.valueOf(new long[] {0b10110000}), account.durable());
    assertEquals(BitSet.valueOf(new long[] {0b101000000}), account.unwritten());
    assertEquals(BitSet.valueOf(new long[] {0b101000000}), account.fresh());
    assertEquals(BitSet.valueOf(new long[] {0b111110000}), account.busy());
    assertEquals(account.busy(), account.current());
    assertEquals(5, account.busyCount());
    assertEquals(40, account.room());
    assertEquals(List.of(), account.held());
  }

  @Test
  void whatASnapshotHoldsStaysBusyUntilItIsLetGo() {
    SlotSpace space = space(40);
    take(space, 2);
    checkpoint(space);
    BitSet first = space.hold();
    BitSet second = space.hold();
    assertEquals(2, space.account().held().size());
    space.release(4);
    assertFalse(space.hasSlotsOfLastOnly());
    checkpoint(space);
    assertEquals(2, space.busyCount());
    space.letGo(second);
    assertEquals(2, space.busyCount());
    assertEquals(List.of(first), space.account().held());
    space.letGo(first);
    assertEquals(1, space.busyCount());
    assertEquals(35, space.available());
  }

  @Test
  void whatIsLetGoIsWhatWasHeldAndNoOther() {
    SlotSpace space = space(40);
    take(space, 2);
    checkpoint(space);
    BitSet first = space.hold();
    space.release(4);
    checkpoint(space);
    BitSet second = space.hold();
    space.letGo(first);
    assertEquals(List.of(second), space.account().held());
    assertEquals(1, space.busyCount());
  }

  @Test
  void whatWasCapturedStaysBusyThoughASnapshotIsLetGo() {
    SlotSpace space = space(40);
    BitSet held = space.hold();
    take(space, 2);
    space.capture();
    space.release(4);
    space.letGo(held);
    assertEquals(2, space.busyCount());
    assertEquals(6, space.takeLowest());
  }

  @Test
  void whatWasReleasedIsNotFreshAndNotReleasedTwice() {
    SlotSpace space = space(40);
    take(space, 2);
    space.release(4);
    assertFalse(space.isFresh(4));
    space.release(4);
    assertEquals(1, space.busyCount());
  }

  @Test
  void whatMapsReferToWhenAStoreIsOpenedIsDurable() {
    SlotSpace space = space(40);
    assertFalse(space.isLoaded(9));
    space.noteLoaded(9);
    assertTrue(space.isLoaded(9));
    assertEquals(0, space.busyCount());
    space.loaded();
    assertEquals(1, space.busyCount());
    assertEquals(35, space.available());
    assertFalse(space.isFresh(9));
    space.release(9);
    assertEquals(1, space.busyCount());
    assertTrue(space.hasSlotsOfLastOnly());
  }

  @Test
  void aPageOfAMapGoesToANewSlotEachTime() {
    SlotSpace space = space(40);
    int first = space.replace(0);
    assertEquals(4, first);
    assertEquals(1, space.busyCount());
    int second = space.replace(first);
    assertEquals(5, second);
    assertEquals(1, space.busyCount());
    checkpoint(space);
    assertEquals(4, space.replace(second));
    assertEquals(2, space.busyCount());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theAccountIsThatOfAllMovesWhateverTheyAre(int seed) {
    SlotSpace space = space(64);
    Random random = new Random(seed);
    BitSet mine = new BitSet();
    for (int round = 0; round < 2000; round++) {
      switch (random.nextInt(8)) {
        case 0, 1 -> mine.set(space.take());
        case 2 -> mine.set(space.takeLowest());
        case 3 -> {
          for (int slot : space.takeRun(1 + random.nextInt(4))) {
            assertFalse(mine.get(slot));
            mine.set(slot);
          }
        }
        case 4 -> {
          if (random.nextInt(10) == 0) {
            checkpoint(space);
          }
        }
        default -> {
          int slot = mine.nextSetBit(random.nextInt(64));
          if (slot >= 0) {
            mine.clear(slot);
            space.release(slot);
          }
        }
      }
      SlotSpace.Account account = space.account();
      assertEquals(mine, account.current());
      assertEquals(account.busy().cardinality(), space.busyCount());
      BitSet expected = (BitSet) mine.clone();
      expected.or(account.durable());
      assertEquals(expected, account.busy());
    }
  }
}
