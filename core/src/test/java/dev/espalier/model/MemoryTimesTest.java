// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MemoryTimesTest {
  private final String configured = System.getProperty(CacheFile.FOLDER_PROPERTY, "");
  private final MemoryTimes known = MemoryTimes.ofThisMachine();

  @TempDir private Path folder;

  @BeforeEach
  void keepFiguresInAFolderOfTheTest() {
    System.setProperty(CacheFile.FOLDER_PROPERTY, folder.toString());
  }

  @AfterEach
  void bringBackWhatWasKnown() throws IOException {
    known.save();
    System.setProperty(CacheFile.FOLDER_PROPERTY, configured);
  }

  @Test
  void linesAfterTheFirstAddTnextEach() {
    MemoryTimes times = new MemoryTimes(100, 7);
    assertEquals(100, times.ofLines(1));
    assertEquals(100 + 3 * 7, times.ofLines(4));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void timesThatAreNotPositiveAreRefused(double time) {
    assertThrows(IllegalArgumentException.class, () -> new MemoryTimes(time, 1));
    var e = assertThrows(IllegalArgumentException.class, () -> new MemoryTimes(1, time));
    assertEquals("tnext is " + time + "; it must be positive and finite", e.getMessage());
  }

  @Test
  void savedTimesHoldAtOnceAndForLaterPrograms() throws IOException {
    MemoryTimes times = new MemoryTimes(311, 17.5);
    Path file = times.save();
    assertEquals(times, MemoryTimes.ofThisMachine());
    assertEquals(folder, file.getParent());
    assertEquals(times, MemoryTimesFile.ofThisMachine().orElseThrow().read().orElseThrow());
  }

  @Test
  void timesThatCannotBeSavedStillHoldInThisProgram() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    System.setProperty(CacheFile.FOLDER_PROPERTY, file.toString());
    MemoryTimes times = new MemoryTimes(311, 17.5);
    assertThrows(IOException.class, times::save);
    assertEquals(times, MemoryTimes.ofThisMachine());
    System.setProperty(CacheFile.FOLDER_PROPERTY, folder.toString());
  }

  @Test
  @Tag("thorough")
  void calibrationSavesWhatItMeasured() throws IOException {
    MemoryTimes times = MemoryTimes.calibrate();
    assertTrue(times.t1() > 0 && times.tnext() > 0, times.toString());
    assertEquals(times, MemoryTimes.ofThisMachine());
    assertEquals(times, MemoryTimesFile.ofThisMachine().orElseThrow().read().orElseThrow());
  }
}
