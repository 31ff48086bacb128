// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.SlotTrials.FIRST;
import static dev.espalier.io.SlotTrials.PAGE_BYTES;
import static dev.espalier.io.SlotTrials.checkpoint;
import static dev.espalier.io.SlotTrials.take;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the slots of a file end, and how a file gets shorter. */
final class SlotSpaceShrinkTest {
  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final PageFile file = disk.openPages(LogCalls.STORE, Access.CREATE, PAGE_BYTES);

  @AfterEach
  void close() {
    file.close();
  }

  private SlotSpace space(long slots) {
    return SlotTrials.space(file, slots);
  }

  @Test
  void theEndIsBehindTheLastBusySlot() {
    SlotSpace space = space(40);
    assertEquals(FIRST, space.end());
    assertEquals(FIRST, space.capturedEnd());
    take(space, 5);
    assertEquals(9, space.end());
    space.release(8);
    assertEquals(8, space.end());
  }

  @Test
  void theLeastEndHasRoomForAllThatIsInUseAndForTheNextCheckpoint() {
    SlotSpace space = space(40);
    space.reserve(3);
    take(space, 10);
    space.release(5);
    assertEquals(FIRST + 9 + 3, space.leastEnd());
    assertEquals(5, space.take()); // From now on the first free ones are taken.
    checkpoint(space);
    space.hold();
    for (int slot = 4; slot < 14; slot++) {
      space.release(slot);
    }
    assertEquals(FIRST + 10 + 3, space.leastEnd());
    space.reserve(0);
    assertEquals(14, space.leastEnd());
    checkpoint(space);
    take(space, 1);
    assertEquals(15, space.leastEnd());
  }

  @Test
  void theLeastEndIsBehindAllThatSnapshotsHold() {
    SlotSpace space = space(40);
    take(space, 10);
    for (int slot = 4; slot < 13; slot++) {
      space.release(slot);
    }
    checkpoint(space);
    space.hold();
    assertEquals(14, space.leastEnd());
    space.reserve(20);
    assertEquals(FIRST + 1 + 20, space.leastEnd());
  }

  @ParameterizedTest
  @CsvSource({"0, 5", "6, 3", "8, 1", "9, 0", "100, 0"})
  void slotsBehindAMarkAreCounted(int mark, int count) {
    SlotSpace space = space(40);
    take(space, 5);
    assertEquals(count, space.currentFrom(mark));
  }

  @Test
  void aSlotBelowAMarkIsTakenIfThereIsOne() {
    SlotSpace space = space(12);
    take(space, 8);
    space.release(5);
    space.release(7);
    space.leastEnd();
    assertEquals(0, space.takeBelow(5));
    assertEquals(5, space.takeBelow(6));
    assertEquals(0, space.takeBelow(7));
    assertEquals(7, space.takeBelow(100));
    assertEquals(0, space.takeBelow(100)); // The file does not grow for that.
    assertEquals(8, space.busyCount());
    assertEquals(12, space.room());
  }

  @ParameterizedTest
  @CsvSource({"0, 9", "9, 9", "20, 20", "40, 40", "50, 40"})
  void aFileIsCutBehindItsBusySlots(int least, int room) {
    SlotSpace space = space(40);
    space.reserve(0);
    take(space, 5);
    space.cut(least);
    assertEquals(room, space.room());
    assertEquals((long) room * PAGE_BYTES, file.bytes());
    assertEquals(room - 9, space.available());
  }

  /** At least 2 MiB, which are 512 slots, and half of the file. */
  @ParameterizedTest
  @CsvSource({
    "521, 0, 521",
    "522, 0, 9",
    "522, 1, 522",
    "523, 1, 10",
    "2000, 991, 2000",
    "2000, 990, 999"
  })
  void aFileIsTruncatedIfThatGivesBackMuch(int slots, int reserved, int room) {
    SlotSpace space = space(slots);
    space.reserve(reserved);
    take(space, 5);
    space.truncate();
    assertEquals(room, space.room());
    assertEquals((long) room * PAGE_BYTES, file.bytes());
    assertEquals(9, space.take());
  }

  @Test
  void afterATruncationTheFirstFreeSlotIsTaken() {
    SlotSpace space = space(2000);
    take(space, 50);
    space.release(10);
    space.truncate();
    assertEquals(54, space.room());
    assertEquals(10, space.take());
  }
}
