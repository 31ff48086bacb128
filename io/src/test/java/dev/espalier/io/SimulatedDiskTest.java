// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.DiskTrials.BLOCK;
import static dev.espalier.io.DiskTrials.MEMORY;
import static dev.espalier.io.DiskTrials.SECTOR;
import static dev.espalier.io.DiskTrials.SEEDS;
import static dev.espalier.io.DiskTrials.batch;
import static dev.espalier.io.DiskTrials.create;
import static dev.espalier.io.DiskTrials.disk;
import static dev.espalier.io.DiskTrials.open;
import static dev.espalier.io.DiskTrials.outcomes;
import static dev.espalier.io.DiskTrials.safeFile;
import static dev.espalier.io.DiskTrials.sectors;
import static dev.espalier.io.DiskTrials.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.SimulatedDisk.Done;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A simulated disk loses what it may lose, and nothing else. Over many seeds each outcome that a
 * power loss can have is seen, and no other.
 */
@Tag("fallback-thorough")
class SimulatedDiskTest {
  // ---------------------------------------------------------------- bytes

  @Test
  void aWriteThatIsNotForcedIsLostOrKeptOrTornAtSectors() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              write(safeFile(disk, "f", 1), 0, BLOCK, 2);
              disk.losePower();
              return sectors(disk, "f");
            });
    assertTrue(seen.containsKey("11111111"), seen::toString);
    assertTrue(seen.containsKey("22222222"), seen::toString);
    assertTrue(seen.size() > 20, seen::toString);
    assertTrue(seen.keySet().stream().allMatch(each -> each.matches("[12]{8}")), seen::toString);
    for (int sector = 0; sector < 8; sector++) {
      int at = sector;
      assertTrue(seen.keySet().stream().anyMatch(each -> each.matches("2{" + at + "}12*")), "lost");
      assertTrue(seen.keySet().stream().anyMatch(each -> each.matches("1{" + at + "}21*")), "kept");
    }
  }

  @Test
  void aWriteThatIsForcedIsNeverLost() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              write(file, 0, BLOCK, 2);
              file.force();
              disk.losePower();
              return sectors(disk, "f");
            });
    assertEquals(Map.of("22222222", SEEDS), seen);
  }

  @Test
  void anyOfSeveralVersionsOfASectorMayBeLeftButNoneFromBeforeTheForce() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              for (int value = 2; value <= 6; value++) {
                write(file, 0, SECTOR, value);
                if (value == 3) {
                  file.force();
                }
              }
              disk.losePower();
              return sectors(disk, "f").substring(0, 1);
            });
    assertEquals(Set.of("3", "4", "5", "6"), seen.keySet());
  }

  @Test
  void aLaterWriteMayBeLeftWithoutAnEarlierOne() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile first = safeFile(disk, "f", 1);
              PageFile second = safeFile(disk, "g", 1);
              write(first, 0, SECTOR, 2);
              write(second, 0, SECTOR, 2);
              disk.losePower();
              return sectors(disk, "f").substring(0, 1) + sectors(disk, "g").substring(0, 1);
            });
    assertEquals(Set.of("11", "12", "21", "22"), seen.keySet());
  }

  @Test
  void aSectorThatIsPartlyWrittenIsOldOrNewAsAWhole() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              write(safeFile(disk, "f", 1), 100, 300, 2);
              disk.losePower();
              byte[] bytes = disk.contents(SimulatedDisk.path("f"));
              return bytes[99] + "" + bytes[100] + bytes[399] + bytes[400];
            });
    assertEquals(Set.of("1111", "1221"), seen.keySet());
  }

  @Test
  void growthIsLostOrKeptApartFromTheBytes() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              file.grow(2 * BLOCK);
              write(file, BLOCK, SECTOR, 2);
              disk.losePower();
              return sectors(disk, "f");
            });
    assertEquals(Set.of("11111111", "1111111100000000", "1111111120000000"), seen.keySet());
  }

  @Test
  void truncationIsLostOrKept() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 2);
              file.truncate(BLOCK);
              disk.losePower();
              return disk.contents(SimulatedDisk.path("f")).length + "";
            });
    assertEquals(Set.of("4096", "8192"), seen.keySet());
  }

  @Test
  void whatWasTruncatedAndForcedComesBackAsZeros() {
    SimulatedDisk disk = disk(1);
    PageFile file = safeFile(disk, "f", 2);
    file.truncate(BLOCK + 100);
    file.force();
    file.grow(2 * BLOCK);
    file.force();
    disk.losePower();
    byte[] expected = new byte[2 * BLOCK];
    Arrays.fill(expected, 0, BLOCK + 100, (byte) 1);
    assertArrayEquals(expected, disk.contents(SimulatedDisk.path("f")));
  }

  @Test
  void bytesBehindALostGrowthDoNotComeBack() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              write(safeFile(disk, "f", 1), BLOCK, BLOCK, 2);
              disk.losePower();
              boolean lost = sectors(disk, "f").length() == 8;
              disk.restart(CrashPlan.NOTHING);
              open(disk, "f").grow(2 * BLOCK);
              return lost ? sectors(disk, "f") : "kept";
            });
    assertEquals(Set.of("1111111100000000", "kept"), seen.keySet());
  }

  @Test
  void aForceCoversNoBatchThatIsUnderWay() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              MEMORY.fill((byte) 2);
              file.startWrite(batch(0, SECTOR));
              file.force();
              disk.losePower();
              return sectors(disk, "f").substring(0, 1);
            });
    assertEquals(Set.of("1", "2"), seen.keySet());
  }

  @Test
  void aStartedBatchIsMovedWhenItIsFoundDoneOrFinishedOrItsFileClosed() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              MEMORY.fill((byte) 2);
              IoBatch batch = batch(0, SECTOR);
              file.startWrite(batch);
              assertEquals("11111111", sectors(disk, "f"));
              boolean done = file.isDone(batch);
              String before = sectors(disk, "f");
              if (seed % 2 == 0) {
                file.finish(batch);
              } else {
                file.close();
              }
              assertEquals("21111111", sectors(disk, "f"));
              return done + " " + before;
            });
    assertEquals(Set.of("false 11111111", "true 21111111"), seen.keySet());
  }

  @Test
  void garbageIsOnlyWhereSomethingWasNotForcedAndOnlyIfWanted() {
    for (boolean wanted : new boolean[] {false, true}) {
      DiskTraits traits = wanted ? DiskTraits.USUAL.withGarbageSectors() : DiskTraits.USUAL;
      Map<String, Integer> seen =
          outcomes(
              seed -> {
                SimulatedDisk disk = new SimulatedDisk(seed, traits);
                write(safeFile(disk, "f", 1), SECTOR, SECTOR, 2);
                disk.losePower();
                return sectors(disk, "f");
              });
      Set<String> expected =
          wanted ? Set.of("11111111", "12111111", "1?111111") : Set.of("11111111", "12111111");
      assertEquals(expected, seen.keySet());
    }
  }

  // ---------------------------------------------------------------- lives

  @Test
  void aKillKeepsAllAndALaterPowerLossMayStillTakeIt() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              disk.restart(CrashPlan.killAt(4));
              PageFile again = open(disk, "f");
              write(again, 0, SECTOR, 2);
              write(again, SECTOR, SECTOR, 2);
              create(disk, "g");
              assertThrows(PowerLostException.class, again::force);
              assertThrows(PowerLostException.class, file::bytes);
              assertEquals("22111111", sectors(disk, "f"));
              assertEquals(Set.of("f", "g"), disk.names());
              disk.restart(CrashPlan.NOTHING);
              assertEquals("22111111", sectors(disk, "f"));
              disk.losePower();
              return sectors(disk, "f").substring(0, 2) + disk.names();
            });
    for (String name : List.of("[f]", "[f, g]")) {
      for (String bytes : List.of("11", "12", "21", "22")) {
        assertTrue(seen.containsKey(bytes + name), seen::toString);
      }
    }
    assertEquals(8, seen.size());
  }

  @Test
  void aKillDuringAWriteLeavesNoneOrTheBeginningOrAllOfIt() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              safeFile(disk, "f", 1).close();
              disk.restart(CrashPlan.killAt(1));
              PageFile file = open(disk, "f");
              assertThrows(PowerLostException.class, () -> write(file, 0, BLOCK, 2));
              return sectors(disk, "f");
            });
    assertTrue(seen.keySet().stream().allMatch(each -> each.matches("2*[?]?1*")), seen::toString);
    assertTrue(seen.keySet().containsAll(Set.of("11111111", "22222222")), seen::toString);
    assertTrue(seen.size() > 5, seen::toString);
  }

  @Test
  void theOperationThatLosesPowerMayBeDoneOrNot() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              safeFile(disk, "f", 1).close();
              disk.restart(CrashPlan.powerLossAt(1));
              PageFile file = open(disk, "f");
              assertThrows(PowerLostException.class, () -> file.grow(2 * BLOCK));
              return sectors(disk, "f");
            });
    assertEquals(Set.of("11111111", "1111111100000000"), seen.keySet());
  }

  @Test
  void withOneSeedTheFateOfABlockDiffersFromOneOperationToTheNext() {
    Map<String, Integer> seen =
        outcomes(
            number -> {
              SimulatedDisk disk = disk(7);
              safeFile(disk, "f", 1).close();
              disk.restart(CrashPlan.powerLossAt(number + 2L));
              PageFile file = open(disk, "f");
              write(file, 0, BLOCK, 2);
              assertThrows(
                  PowerLostException.class,
                  () -> {
                    while (true) {
                      file.read(batch(0, SECTOR));
                    }
                  });
              return sectors(disk, "f");
            });
    assertTrue(seen.size() > 20, seen::toString);
  }

  @Test
  void afterTheCrashEveryOperationOfThatLifeIsRefused() {
    SimulatedDisk disk = disk(1);
    PageFile file = safeFile(disk, "f", 1);
    disk.restart(CrashPlan.powerLossAt(2));
    PageFile again = open(disk, "f");
    again.force();
    assertFalse(disk.crashed());
    PowerLostException lost = assertThrows(PowerLostException.class, again::force);
    assertTrue(lost.getMessage().contains("at operation 2 of life 2"), lost::getMessage);
    assertTrue(disk.crashed());
    assertThrows(PowerLostException.class, again::bytes);
    assertThrows(PowerLostException.class, () -> again.read(batch(0, SECTOR)));
    assertThrows(PowerLostException.class, () -> write(again, 0, SECTOR, 2));
    assertThrows(PowerLostException.class, () -> again.grow(2 * BLOCK));
    assertThrows(PowerLostException.class, () -> disk.exists(file.path()));
    assertThrows(PowerLostException.class, () -> disk.beside(file.path()));
    assertThrows(PowerLostException.class, () -> disk.delete(file.path()));
    assertThrows(PowerLostException.class, () -> disk.forceNames(file.path()));
    assertThrows(PowerLostException.class, () -> open(disk, "f"));
    assertEquals(2, disk.operations());
    disk.restart(CrashPlan.NOTHING);
    assertThrows(PowerLostException.class, again::bytes, "its life is over");
    again.close();
    assertEquals(BLOCK, open(disk, "f").bytes());
  }

  @Test
  void eachRequestAndEachChangeOfAFileOrANameIsOneOperation() {
    SimulatedDisk disk = disk(1);
    PageFile file = create(disk, "f");
    file.grow(BLOCK);
    IoBatch two = new IoBatch(MEMORY, 2);
    two.add(0, 0, SECTOR);
    two.add(2 * SECTOR, SECTOR, SECTOR);
    file.write(two);
    file.force();
    file.read(batch(SECTOR, 100));
    file.truncate(SECTOR);
    file.close();
    disk.rename(file.path(), SimulatedDisk.path("g"));
    disk.delete(SimulatedDisk.path("g"));
    disk.delete(SimulatedDisk.path("g"));
    disk.forceNames(file.path());
    List<Done> expected =
        List.of(
            new Done(DiskOperation.CREATE, "f", 0, 0),
            new Done(DiskOperation.GROW, "f", 0, BLOCK),
            new Done(DiskOperation.WRITE, "f", 0, SECTOR),
            new Done(DiskOperation.WRITE, "f", 2 * SECTOR, SECTOR),
            new Done(DiskOperation.FORCE, "f", 0, 0),
            new Done(DiskOperation.READ, "f", SECTOR, 100),
            new Done(DiskOperation.TRUNCATE, "f", SECTOR, 0),
            new Done(DiskOperation.RENAME, "g", 0, 0),
            new Done(DiskOperation.DELETE, "g", 0, 0),
            new Done(DiskOperation.FORCE_NAMES, "f", 0, 0));
    assertEquals(expected, disk.done());
  }

  /** Does a random run of three lives with crashes; returns all it did and what is left. */
  private List<Object> run(long seed, long choices) {
    SimulatedDisk disk = new SimulatedDisk(seed, DiskTraits.USUAL.withGarbageSectors());
    Random random = new Random(choices);
    List<Object> all = new ArrayList<>();
    safeFile(disk, "f", 4).close();
    for (int life = 0; life < 3; life++) {
      int last = 40 + random.nextInt(10);
      CrashPlan plan = life == 1 ? CrashPlan.killAt(last) : CrashPlan.powerLossAt(last);
      disk.restart(
          plan.failingAtRandom(DiskFault.SHORT, DiskOperation.WRITE, 0.3)
              .failingAtRandom(DiskFault.DEVICE_ERROR, DiskOperation.FORCE, 0.3));
      PageFile file = open(disk, "f");
      try {
        while (true) {
          try {
            write(file, random.nextInt(4 * BLOCK), 1 + random.nextInt(BLOCK), random.nextInt(100));
            if (random.nextInt(5) == 0) {
              file.force();
            }
          } catch (PageFileException failed) {
            all.add(failed.getMessage());
          }
        }
      } catch (PowerLostException lost) {
        all.add(lost.getMessage());
      }
      all.addAll(disk.done());
      all.add(Arrays.toString(disk.contents(SimulatedDisk.path("f"))));
    }
    return all;
  }

  @Test
  void aSeedReplaysARun() {
    for (int seed = 0; seed < 20; seed++) {
      List<Object> first = run(seed, seed);
      assertEquals(first, run(seed, seed));
      assertNotEquals(first, run(seed + 1, seed));
    }
  }
}
