// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.pma.PackedMemoryArray.Geometry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class CalibratorTest {

  @Test
  void windowsOfEveryLevelNestAndCoverAllSegments() {
    for (int segments = 1; segments <= 130; segments++) {
      Calibrator calibrator = new Calibrator(Geometry.DEFAULT, segments);
      for (int segment = 0; segment < segments; segment++) {
        int from = segment;
        int to = segment + 1;
        for (int level = 1; level <= calibrator.levels; level++) {
          long part = calibrator.part(level, segment);
          int wider = calibrator.from(level, part);
          assertTrue(wider <= from && calibrator.to(level, part) >= to);
          from = wider;
          to = calibrator.to(level, part);
          assertTrue(level > 1 || to - from == 1);
          assertTrue(to - from <= 1 << (level - 1));
        }
        assertEquals(0, from);
        assertEquals(segments, to);
      }
    }
  }

  @Test
  void thresholdsOfTheSheetsPicture() {
    Calibrator calibrator = new Calibrator(new Geometry(128, Densities.UPDATE_ORIENTED), 4);
    assertEquals(3, calibrator.levels);
    assertEquals(128, calibrator.mostOfSegment);
    assertEquals(11, calibrator.leastOfSegment);
    assertEquals(224, calibrator.most(2, 2)); // 0.875
    assertEquals(49, calibrator.least(2, 2)); // 0.19
    assertEquals(384, calibrator.most(3, 4)); // 0.75
    assertEquals(154, calibrator.least(3, 4)); // 0.30
  }

  /** M10: twice a window's bound is no less than that of the window above, but for rounding. */
  @Test
  void thresholdsNarrowFromSegmentsToTheRoot() {
    for (int slots : new int[] {4, 32, 512}) {
      Geometry geometry = new Geometry(slots, Densities.UPDATE_ORIENTED);
      for (int segments : new int[] {1, 2, 8, 1 << 10, 1 << 30}) {
        Calibrator calibrator = new Calibrator(geometry, segments);
        for (int level = 1; level < calibrator.levels; level++) {
          int width = 1 << (level - 1);
          assertTrue(
              calibrator.most(level + 1, 2 * width) <= 2 * calibrator.most(level, width) + 1);
          assertTrue(
              calibrator.least(level + 1, 2 * width) >= 2 * calibrator.least(level, width) - 1);
        }
      }
    }
  }

  /** With a segment of 128 slots a spread window has room in every part, to 33 levels. */
  @Test
  void defaultSegmentsHaveRoomAfterARebalanceOnEveryLevel() {
    Calibrator calibrator = new Calibrator(Geometry.DEFAULT, 1 << 30);
    for (int level = 2; level <= calibrator.levels; level++) {
      int width = 1 << Math.min(level - 2, 10);
      long spread = calibrator.most(level, 2 * width);
      assertTrue((spread + 1) / 2 < calibrator.most(level - 1, width), "level " + level);
    }
  }

  @Test
  void densitiesThatLeaveNoRoomAreRefused() {
    assertRefused("lowerSegment", () -> new Densities(-0.1, 0.3, 0.75, 1));
    assertRefused("lowerSegment", () -> new Densities(0.3, 0.35, 0.75, 1));
    assertRefused("lowerSegment", () -> new Densities(0.2, 0.2, 0.75, 1));
    assertRefused("lowerRoot", () -> new Densities(0.1, 0.4, 0.75, 1));
    assertRefused("upperSegment", () -> new Densities(0.1, 0.3, 0.75, 0.75));
    assertRefused("upperSegment", () -> new Densities(0.1, 0.3, 0.75, 1.01));
    assertRefused("lowerSegment", () -> new Densities(Double.NaN, 0.3, 0.75, 1));
  }

  @Test
  void segmentsOfOddSizesAreRefused() {
    for (int slots : new int[] {-4, 0, 2, 12, 1024}) {
      assertRefused("segmentSlots", () -> new Geometry(slots, Densities.UPDATE_ORIENTED));
    }
    assertRefused("too few", () -> new Geometry(4, new Densities(0, 0.2, 0.75, 1)));
  }

  private static void assertRefused(String part, Runnable call) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, call::run);
    assertTrue(String.valueOf(refused.getMessage()).contains(part), refused::toString);
  }
}
