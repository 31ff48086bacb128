// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.DiskTrials.BLOCK;
import static dev.espalier.io.DiskTrials.MEMORY;
import static dev.espalier.io.DiskTrials.SECTOR;
import static dev.espalier.io.DiskTrials.SEEDS;
import static dev.espalier.io.DiskTrials.batch;
import static dev.espalier.io.DiskTrials.create;
import static dev.espalier.io.DiskTrials.open;
import static dev.espalier.io.DiskTrials.outcomes;
import static dev.espalier.io.DiskTrials.read;
import static dev.espalier.io.DiskTrials.safeFile;
import static dev.espalier.io.DiskTrials.sectors;
import static dev.espalier.io.DiskTrials.write;
import static dev.espalier.io.SimulatedDisk.path;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Operations of a simulated disk fail as ordered, and as those of devices do. */
@Tag("fallback-too")
class SimulatedFaultsTest {

  /** Makes a disk with a safe file of one block of ones; the next life has a plan. */
  private static SimulatedDisk prepared(long seed, DiskTraits traits, CrashPlan plan) {
    SimulatedDisk disk = new SimulatedDisk(seed, traits);
    safeFile(disk, "f", 1).close();
    disk.restart(plan);
    return disk;
  }

  private static SimulatedDisk prepared(long seed, CrashPlan plan) {
    return prepared(seed, DiskTraits.USUAL, plan);
  }

  private static void assertFails(int errno, Runnable operation) {
    PageFileException failure = assertThrows(PageFileException.class, operation::run);
    assertEquals(errno, failure.errno(), failure::getMessage);
  }

  // ---------------------------------------------------------------- force

  private static final CrashPlan FORCE_FAILS = CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, 2);

  @Test
  void afterAFailedForceTheNextOneSucceedsAndBringsNothingBack() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = prepared(seed, FORCE_FAILS);
              PageFile file = open(disk, "f");
              write(file, 0, 2 * SECTOR, 2);
              assertFails(Errno.EIO, file::force);
              String shown = sectors(disk, "f");
              file.force();
              disk.losePower();
              assertEquals(shown, sectors(disk, "f"), "what is shown is what the device has");
              return shown.substring(0, 3);
            });
    assertEquals(Set.of("111", "121", "211", "221"), seen.keySet());
  }

  @Test
  void aStaleCacheShowsWhatAFailedForceHasLostUntilItIsDropped() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = prepared(seed, DiskTraits.USUAL.withStaleCache(), FORCE_FAILS);
              PageFile file = open(disk, "f");
              write(file, 0, SECTOR, 2);
              assertFails(Errno.EIO, file::force);
              file.force();
              disk.restart(CrashPlan.NOTHING);
              assertEquals("21111111", read(open(disk, "f")));
              if (seed % 2 == 0) {
                disk.dropCache(path("f"));
              } else {
                disk.losePower();
              }
              return seed % 2 + sectors(disk, "f").substring(0, 1);
            });
    assertEquals(Set.of("01", "02", "11", "12"), seen.keySet());
  }

  @Test
  void whatIsWrittenAgainAfterAFailedForceIsSafeAfterTheNext() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = prepared(seed, DiskTraits.USUAL.withStaleCache(), FORCE_FAILS);
              PageFile file = open(disk, "f");
              write(file, 0, SECTOR, 2);
              assertFails(Errno.EIO, file::force);
              write(file, 0, SECTOR, 3);
              file.force();
              disk.losePower();
              return sectors(disk, "f").substring(0, 1);
            });
    assertEquals(Map.of("3", SEEDS), seen);
  }

  @Test
  void readingPastTheCacheShowsWhatTheDeviceHas() {
    DiskTraits traits = DiskTraits.USUAL.withStaleCache().withAlignment(SECTOR);
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = prepared(seed, traits, FORCE_FAILS);
              PageFile file = open(disk, "f");
              write(file, 0, SECTOR, 2);
              assertFails(Errno.EIO, file::force);
              String direct = read(file);
              disk.losePower();
              assertEquals(direct, sectors(disk, "f"));
              return direct;
            });
    assertEquals(Set.of("11111111", "21111111"), seen.keySet());
  }

  @Test
  void aFailedForceOfNamesLeavesThemUnforced() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk =
                  prepared(seed, CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, 2));
              create(disk, "g");
              assertFails(PageFileException.NO_ERRNO, () -> disk.forceNames(path("g")));
              disk.losePower();
              return disk.names().toString();
            });
    assertEquals(Set.of("[f]", "[f, g]"), seen.keySet());
  }

  // ---------------------------------------------------------------- requests

  @Test
  void aWriteThatFailsLeavesSomeOfItsSectors() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk =
                  prepared(seed, CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, 1));
              PageFile file = open(disk, "f");
              assertFails(Errno.EIO, () -> write(file, 0, 2 * SECTOR, 2));
              return sectors(disk, "f").substring(0, 3);
            });
    assertEquals(Set.of("111", "121", "211", "221"), seen.keySet());
  }

  @Test
  void aFailureOfAStartedBatchIsToldWhenItIsFinished() {
    SimulatedDisk disk = prepared(1, CrashPlan.NOTHING.failing(DiskFault.FULL, 2));
    PageFile file = open(disk, "f");
    MEMORY.fill((byte) 2);
    IoBatch three = new IoBatch(MEMORY, 3);
    for (int i = 0; i < 3; i++) {
      three.add(i * SECTOR, 0, SECTOR);
    }
    file.startWrite(three);
    assertFails(Errno.ENOSPC, () -> file.finish(three));
    assertEquals("21211111", sectors(disk, "f"));
  }

  @Test
  void shortTransfersAndInterruptsAreNotNoticed() {
    CrashPlan plan = CrashPlan.NOTHING;
    for (DiskOperation kind : List.of(DiskOperation.READ, DiskOperation.WRITE)) {
      plan = plan.failingAtRandom(DiskFault.SHORT, kind, 0.3);
      plan = plan.failingAtRandom(DiskFault.INTERRUPTED, kind, 0.3);
    }
    long operations = 0;
    for (int alignment : new int[] {1, SECTOR}) {
      for (int seed = 0; seed < SEEDS; seed++) {
        SimulatedDisk disk = prepared(seed, DiskTraits.USUAL.withAlignment(alignment), plan);
        PageFile file = open(disk, "f");
        write(file, 0, BLOCK, 2);
        assertEquals("22222222", read(file));
        operations += disk.operations();
      }
    }
    assertTrue(operations > 1.5 * 2 * 2 * SEEDS, operations + " operations");
  }

  @Test
  void aMisdirectedWriteLandsInAnotherSectorAndTellsNobody() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk =
                  prepared(seed, CrashPlan.NOTHING.failing(DiskFault.MISDIRECTED, 1));
              PageFile file = open(disk, "f");
              write(file, SECTOR, SECTOR, 2);
              file.force();
              disk.losePower();
              return sectors(disk, "f");
            });
    assertEquals(7, seen.size(), seen::toString);
    assertTrue(seen.keySet().stream().allMatch(each -> each.matches("(?=.1)1*21*")));
  }

  @Test
  void aRequestBehindTheEndFailsAsThoseOfEnginesDo() {
    PageFile file = open(prepared(1, CrashPlan.NOTHING), "f");
    PageFileException failure =
        assertThrows(PageFileException.class, () -> file.read(batch(BLOCK - SECTOR, BLOCK)));
    assertEquals(
        "/simulated/f: reading of 4096 bytes at 3584, but the file ends before",
        failure.getMessage());
  }

  @Test
  void whatIsNotAlignedFailsAsPastThePageCache() {
    for (int alignment : new int[] {512, 4096}) {
      SimulatedDisk disk =
          prepared(1, DiskTraits.USUAL.withAlignment(alignment), CrashPlan.NOTHING);
      PageFile file = open(disk, "f");
      assertEquals(alignment, file.alignment());
      assertTrue(file.status().direct());
      assertFails(Errno.EINVAL, () -> write(file, alignment / 2, alignment, 2));
      assertFails(Errno.EINVAL, () -> write(file, 0, alignment / 2, 2));
      IoBatch unaligned = new IoBatch(MEMORY, 1);
      unaligned.add(0, 8, alignment);
      assertFails(Errno.EINVAL, () -> file.read(unaligned));
      write(file, 0, alignment, 2);
      PageFile cached = disk.openLog(path("f"), Access.READ, 16);
      assertEquals(1, cached.alignment(), "blocks of 16 bytes can't go past the cache");
    }
  }

  @Test
  void aFileThatIsOpenForReadingCanNotBeChanged() {
    SimulatedDisk disk = prepared(1, CrashPlan.NOTHING);
    PageFile file = disk.openPages(path("f"), Access.READ, BLOCK);
    assertFails(Errno.EBADF, () -> write(file, 0, SECTOR, 2));
    assertFails(Errno.EBADF, () -> file.grow(2 * BLOCK));
    assertFails(Errno.EBADF, () -> file.truncate(0));
    assertEquals("11111111", read(file));
  }

  @Test
  void whatFailsByADeviceErrorIsAsIfItHadNotBeenTried() {
    Map<String, BiConsumer<SimulatedDisk, PageFile>> operations =
        Map.of(
            "grow", (_, file) -> file.grow(2 * BLOCK),
            "truncate", (_, file) -> file.truncate(SECTOR),
            "read", (_, file) -> read(file),
            "create", (disk, _) -> create(disk, "g"),
            "rename", (disk, _) -> disk.rename(path("f"), path("g")),
            "delete", (disk, _) -> disk.delete(path("f")));
    operations.forEach(
        (name, operation) -> {
          SimulatedDisk disk = prepared(1, CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, 1));
          PageFile file = open(disk, "f");
          assertThrows(PageFileException.class, () -> operation.accept(disk, file), name);
          assertEquals("11111111", sectors(disk, "f"), name);
          assertEquals(Set.of("f"), disk.names(), name);
          operation.accept(disk, file);
        });
  }

  // ---------------------------------------------------------------- room

  @Test
  void aFullDiskRefusesGrowthAndWritesBehindTheEndAndLeavesTheFile() {
    DiskTraits small = DiskTraits.USUAL.withByteLimit(3 * BLOCK);
    for (int seed = 0; seed < SEEDS; seed++) {
      SimulatedDisk disk = prepared(seed, small, CrashPlan.NOTHING);
      PageFile file = open(disk, "f");
      assertFails(Errno.ENOSPC, () -> file.grow(4 * BLOCK));
      assertEquals(BLOCK, file.bytes());
      assertFails(Errno.ENOSPC, () -> write(file, 3 * BLOCK, SECTOR, 2));
      PageFile other = create(disk, "g");
      write(other, 0, SECTOR, 3);
      assertFails(Errno.ENOSPC, () -> file.grow(3 * BLOCK));
      file.grow(2 * BLOCK);
      write(file, BLOCK, BLOCK, 2);
      assertEquals("1111111122222222", read(file));
    }
  }

  @Test
  void growthThatFindsNoRoomMayLeaveSomeBehindWhenItsUndoingIsCutOff() {
    DiskTraits small = DiskTraits.USUAL.withByteLimit(2 * BLOCK);
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = prepared(seed, small, CrashPlan.killAt(2));
              PageFile file = open(disk, "f");
              assertThrows(PowerLostException.class, () -> file.grow(4 * BLOCK));
              return sectors(disk, "f").length() > 8 ? "longer" : "as before";
            });
    assertEquals(Set.of("as before", "longer"), seen.keySet());
  }

  @Test
  void aFaultThatDoesNotSuitAnOperationDoesNothing() {
    PageFile file = open(prepared(1, CrashPlan.NOTHING.failing(DiskFault.SHORT, 1)), "f");
    assertDoesNotThrow(file::force);
  }

  @Test
  void roomThatWasFreedIsGivenOutAgainOnlyWhenAPowerLossCanNotTakeItBack() {
    DiskTraits small = DiskTraits.USUAL.withByteLimit(3 * BLOCK);
    for (int seed = 0; seed < SEEDS; seed++) {
      SimulatedDisk disk = prepared(seed, small, CrashPlan.NOTHING);
      PageFile other = safeFile(disk, "g", 2);
      other.truncate(BLOCK);
      disk.delete(path("f"));
      PageFile third = create(disk, "h");
      third.grow(2 * BLOCK);
      disk.losePower();
      assertEquals(Set.of("g", "h"), disk.names());
      assertEquals(8, sectors(disk, "g").length());
    }
  }

  @Test
  void afterAPowerLossADiskHoldsNoMoreThanItsLimit() {
    DiskTraits small = DiskTraits.USUAL.withByteLimit(2 * BLOCK);
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = prepared(seed, small, CrashPlan.NOTHING);
              create(disk, "g").grow(BLOCK);
              disk.losePower();
              disk.restart(CrashPlan.NOTHING);
              PageFile file = open(disk, "f");
              try {
                file.grow(2 * BLOCK);
                return "grown " + disk.names();
              } catch (PageFileException full) {
                return "full " + disk.names();
              }
            });
    assertTrue(seen.containsKey("full [f, g]"), seen::toString);
    assertTrue(seen.containsKey("grown [f]"), seen::toString);
  }

  @Test
  void plansAndTraitsThatMakeNoSenseAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> CrashPlan.killAt(-1));
    assertThrows(
        IllegalArgumentException.class, () -> CrashPlan.NOTHING.failing(DiskFault.FULL, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> CrashPlan.NOTHING.failingAtRandom(DiskFault.SHORT, DiskOperation.FORCE, 1));
    assertThrows(IllegalArgumentException.class, () -> DiskTraits.USUAL.withAlignment(2));
    assertThrows(IllegalArgumentException.class, () -> DiskTraits.USUAL.withByteLimit(-1));
  }
}
