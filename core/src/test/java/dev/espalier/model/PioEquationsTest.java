// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The equations against numbers worked out by hand: N = 10^6, F = 11 and U = 1, so F' = 10; P_r =
 * 100, P_w = 200, P_r(2) = 110, P'_r = 10, P'_w = 20; bcnt = 5000.
 */
final class PioEquationsTest {
  private static final double CLOSE = 1e-6;

  /** 10^-0.5, the buffered part of a level where eta mod 1 is 0.5. */
  private static final double HALF_LEVEL = 0.316_227_766;

  private final DeviceTimes times = new DeviceTimes(100, 200, List.of(100.0, 110.0, 130.0), 10, 20);
  private final PioEquations equations = new PioEquations(times, 1e6, 11, 1, 5000);

  @Test
  void heightIsALogarithm() {
    assertEquals(6, equations.height(), CLOSE); // log 10^6 / log 10
  }

  @Test
  void bPlusTreeReadsItsHeightAndWritesALeaf() {
    assertEquals(6 * 100 + 0.5 * 200, equations.bPlusTree(0.5), CLOSE);
  }

  @Test
  void bufferedBPlusTreeReadsWhatIsNotInMemory() {
    // M = 10^2.5: eta = log 10^3.5 - 1 = 2.5
    double expected = (2 + 1 - HALF_LEVEL) * 100 + 0.5 * 200;
    assertEquals(expected, equations.bPlusTree(0.5, Math.pow(10, 2.5)), CLOSE);
  }

  @ParameterizedTest
  @CsvSource({
    // O = 1000 pages hold 10^4 operations; a level has N / (10^(6 - level) * 2) nodes
    "0, 5000", // 10^4 / 0.5 is above bcnt
    "1, 2000", // 10^4 / 5
    "2, 200",
    "3, 20",
    "4, 2",
    "5, 1", // 10^4 / 50000 is below 1
  })
  void nodesAreSharedByMoreOperationsTowardsTheRoot(int level, double shared) {
    assertEquals(shared, equations.shared(level, 6, 2, 1000), CLOSE);
  }

  @Test
  void pioSearchReadsTheWholeLeaf() {
    assertEquals(5 * 100 + 110, equations.pioSearch(2), CLOSE);
  }

  @Test
  void pioInsertSharesWhatItReads() {
    double reads = 1.0 / 5000 + 1.0 / 2000 + 1.0 / 200 + 1.0 / 20 + 1.0 / 2;
    double insert = reads * 10 + (10 + 20) / 1.0;
    assertEquals(insert, equations.pioInsert(2, 1000), CLOSE);
    assertEquals(0.5 * 610 + 0.5 * insert, equations.pio(0.5, 2, 1000), CLOSE);
  }

  @Test
  void bufferedPioSearchAndInsertReadWhatIsNotInMemory() {
    double pool = Math.pow(10, 2.5) / 2; // eta = log(10^6 / (2 * 10^2.5 / 2)) - 1 = 2.5
    double search = (2 - HALF_LEVEL) * 100 + 110;
    assertEquals(search, equations.pioSearch(2, pool + 1000, 1000), CLOSE);
    // G at level log(158.1) - 1: 10^4 operations / (10^6 / (10^6 / 15.81 * 2)) nodes = 1264.9
    double reads = 1.0 / 20 + 1.0 / 2 - HALF_LEVEL / 1264.911_064;
    double insert = reads * 10 + 30;
    assertEquals(insert, equations.pioInsert(2, pool + 1000, 1000), CLOSE);
    assertEquals(0.25 * search + 0.75 * insert, equations.pio(0.75, 2, pool + 1000, 1000), CLOSE);
  }

  @Test
  void leafReadsLieOnStraightLinesBetweenPowersOfTwo() {
    assertEquals(100, times.leafRead(1));
    assertEquals(120, times.leafRead(3)); // between 110 and 130
    assertEquals(130, times.leafRead(4));
    assertThrows(IllegalArgumentException.class, () -> times.leafRead(5));
  }

  @Test
  void impossibleParametersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new PioEquations(times, 0, 11, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new PioEquations(times, 10, 2, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new PioEquations(times, 10, 11, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new DeviceTimes(0, 1, List.of(1.0), 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new DeviceTimes(1, 1, List.of(), 1, 1));
  }
}
