// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.DiskTrials.SEEDS;
import static dev.espalier.io.DiskTrials.create;
import static dev.espalier.io.DiskTrials.disk;
import static dev.espalier.io.DiskTrials.open;
import static dev.espalier.io.DiskTrials.outcomes;
import static dev.espalier.io.DiskTrials.safeFile;
import static dev.espalier.io.DiskTrials.sectors;
import static dev.espalier.io.DiskTrials.write;
import static dev.espalier.io.SimulatedDisk.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names of a simulated disk are lost or kept as those of file systems are. */
@Tag("fallback-too")
class SimulatedNamesTest {
  private static final int BYTES = 512;

  /** Returns the names there are, and the value of the first sector of each file. */
  private static String files(SimulatedDisk disk) {
    StringBuilder files = new StringBuilder();
    for (String name : List.of("f", "g", "h")) {
      if (disk.names().contains(name)) {
        files.append(name).append(sectors(disk, name).charAt(0));
      }
    }
    return files.toString();
  }

  /** Makes a file of one sector that is safe but for its name. */
  private static void nameless(SimulatedDisk disk, String name, int value) {
    try (PageFile file = create(disk, name)) {
      write(file, 0, BYTES, value);
      file.force();
    }
  }

  @Test
  void aNewNameIsSafeOnlyAfterNamesAreForced() {
    for (boolean forced : new boolean[] {false, true}) {
      Map<String, Integer> seen =
          outcomes(
              seed -> {
                SimulatedDisk disk = disk(seed);
                nameless(disk, "f", 1);
                if (forced) {
                  disk.forceNames(path("f"));
                }
                disk.losePower();
                return files(disk);
              });
      assertEquals(forced ? Set.of("f1") : Set.of("", "f1"), seen.keySet());
    }
  }

  @Test
  void aDeletionIsSafeOnlyAfterNamesAreForced() {
    for (boolean forced : new boolean[] {false, true}) {
      Map<String, Integer> seen =
          outcomes(
              seed -> {
                SimulatedDisk disk = disk(seed);
                safeFile(disk, "f", 1).close();
                disk.delete(path("f"));
                assertEquals("", files(disk));
                if (forced) {
                  disk.forceNames(path("f"));
                }
                disk.losePower();
                return files(disk);
              });
      assertEquals(forced ? Set.of("") : Set.of("", "f1"), seen.keySet());
    }
  }

  @Test
  void aRenamedFileHasTheOldNameOrTheNewOneAndNeverNeitherOrBoth() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              safeFile(disk, "f", 1).close();
              disk.rename(path("f"), path("g"));
              assertEquals("g1", files(disk));
              disk.losePower();
              return files(disk);
            });
    assertEquals(Set.of("f1", "g1"), seen.keySet());
  }

  @Test
  void aFileIsReplacedAsAWholeOrNotAtAll() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              safeFile(disk, "f", 1).close();
              nameless(disk, "g", 2);
              disk.rename(path("g"), path("f"));
              assertEquals("f2", files(disk));
              disk.losePower();
              return files(disk);
            });
    assertEquals(Set.of("f1", "f1g2", "f2"), seen.keySet());
  }

  @Test
  void changesOfNamesAreKeptInAnyOrder() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              nameless(disk, "f", 1);
              nameless(disk, "g", 2);
              nameless(disk, "h", 3);
              disk.losePower();
              return files(disk);
            });
    assertEquals(Set.of("", "f1", "g2", "h3", "f1g2", "f1h3", "g2h3", "f1g2h3"), seen.keySet());
  }

  @Test
  void aNameIsTakenOverOnlyWhenTheFileThatHadItHasLeft() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              safeFile(disk, "f", 1).close();
              disk.rename(path("f"), path("g"));
              nameless(disk, "f", 2);
              disk.losePower();
              return files(disk);
            });
    assertEquals(Set.of("f1", "g1", "f2g1"), seen.keySet());
  }

  @Test
  void theBytesOfAFileWhoseDeletionWasLostAreThoseOfItsOwnForce() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              PageFile file = safeFile(disk, "f", 1);
              write(file, 0, BYTES, 2);
              file.force();
              write(file, 0, BYTES, 3);
              disk.delete(path("f"));
              nameless(disk, "f", 4);
              disk.losePower();
              return files(disk);
            });
    assertEquals(Set.of("", "f2", "f3", "f4"), seen.keySet());
  }

  @Test
  void namesThatAreNotForcedMayBeLostEvenAfterAKill() {
    Map<String, Integer> seen =
        outcomes(
            seed -> {
              SimulatedDisk disk = disk(seed);
              nameless(disk, "f", 1);
              disk.restart(CrashPlan.NOTHING);
              assertEquals("f1", files(disk));
              open(disk, "f").force();
              disk.losePower();
              return files(disk);
            });
    assertEquals(Set.of("", "f1"), seen.keySet());
  }

  /**
   * Whatever is done to names, no safe file is lost that was not deleted or replaced, none that was
   * has two names, and each has a name it was given.
   */
  @Test
  void noSafeFileLosesItsNameByChangesOfOthers() {
    for (int seed = 0; seed < 20 * SEEDS; seed++) {
      Random random = new Random(seed);
      SimulatedNames names = new SimulatedNames();
      Map<SimulatedFile, Set<String>> given = new HashMap<>();
      Set<SimulatedFile> mustStay = new HashSet<>();
      for (int i = 0; i < 3; i++) {
        SimulatedFile file = new SimulatedFile();
        names.name(file, "" + i);
        given.computeIfAbsent(file, _ -> new HashSet<>()).add("" + i);
        mustStay.add(file);
      }
      names.force();
      for (int i = 0; i < 8; i++) {
        String name = "" + random.nextInt(6);
        SimulatedFile there = names.find(name);
        List<String> all = new ArrayList<>(names.names());
        SimulatedFile file =
            all.isEmpty() || random.nextInt(3) == 0
                ? new SimulatedFile()
                : names.find(all.get(random.nextInt(all.size())));
        if (random.nextInt(5) == 0) {
          if (there != null) {
            names.delete(there);
            mustStay.remove(there);
          }
        } else if (there != file) {
          names.name(file, name);
          given.computeIfAbsent(file, _ -> new HashSet<>()).add(name);
          mustStay.remove(there);
        }
      }
      names.losePower(random);
      Map<SimulatedFile, String> left = new HashMap<>();
      for (String name : names.names()) {
        SimulatedFile file = names.find(name);
        assertEquals(null, left.put(file, name), "one file has two names, seed " + seed);
        assertTrue(given.get(file).contains(name), "a name that it never had, seed " + seed);
      }
      assertTrue(left.keySet().containsAll(mustStay), "a safe file is lost, seed " + seed);
    }
  }

  @Test
  void filesBesideAFileAreThoseWhoseNamesBeginAlikeInNoOrder() {
    Set<List<Path>> orders = new HashSet<>();
    outcomes(
        seed -> {
          SimulatedDisk disk = disk(seed);
          for (String name : List.of("f", "f.1", "f.2", "g")) {
            create(disk, name).close();
          }
          List<Path> beside = disk.beside(path("f"));
          assertEquals(Set.of(path("f"), path("f.1"), path("f.2")), Set.copyOf(beside));
          orders.add(beside);
          return "";
        });
    assertEquals(6, orders.size());
  }

  @Test
  void namesThatAreNotThereOrAreTakenOrElsewhereAreRefused() {
    SimulatedDisk disk = disk(1);
    create(disk, "f").close();
    assertThrows(PageFileException.class, () -> create(disk, "f"));
    PageFileException missing = assertThrows(PageFileException.class, () -> open(disk, "g"));
    assertEquals(Errno.ENOENT, missing.errno());
    assertThrows(PageFileException.class, () -> disk.rename(path("g"), path("h")));
    Path elsewhere = path("f").resolveSibling("folder").resolve("f");
    assertThrows(IllegalArgumentException.class, () -> disk.exists(elsewhere));
  }
}
