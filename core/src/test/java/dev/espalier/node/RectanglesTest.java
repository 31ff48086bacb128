// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel, as chosen and one by one, against a plain test of each rectangle. */
@Tag("fallback-too")
class RectanglesTest {
  /** Not at the start of the memory, to find a kernel that forgets the offset. */
  private static final long OFFSET = 128;

  private static final double[] COORDINATES = {
    Double.NEGATIVE_INFINITY, -Double.MAX_VALUE, -2, -1, -0.0, 0, 1, 2, Double.POSITIVE_INFINITY
  };

  private final Arena arena = Arena.ofConfined();
  private final SplittableRandom random = new SplittableRandom(7);

  @AfterEach
  void close() {
    arena.close();
  }

  @ParameterizedTest(name = "{0} slots")
  @ValueSource(ints = {1, 4, 6, 8, 16, 24, 32, 40, 64})
  void kernelFindsWhatPassesAllFourComparisons(int slots) {
    int columnBytes = 8 * slots;
    MemorySegment nodes = arena.allocate(OFFSET + 4L * columnBytes, 64);
    long found = 0;
    for (int round = 0; round < 300; round++) {
      double[][] columns = new double[4][slots];
      for (int column = 0; column < 4; column++) {
        for (int slot = 0; slot < slots; slot++) {
          columns[column][slot] = coordinate();
          nodes.set(
              ValueLayout.JAVA_DOUBLE,
              OFFSET + (long) column * columnBytes + 8L * slot,
              columns[column][slot]);
        }
      }
      double a = coordinate();
      double b = coordinate();
      double c = coordinate();
      double d = coordinate();
      long reaching = 0;
      for (int slot = 0; slot < slots; slot++) {
        double minX = columns[0][slot];
        double minY = columns[1][slot];
        double maxX = columns[2][slot];
        double maxY = columns[3][slot];
        reaching |= (minX <= a && minY <= b && maxX >= c && maxY >= d ? 1L : 0) << slot;
      }
      found |= reaching;
      assertEquals(reaching, Rectangles.reaching(nodes, OFFSET, columnBytes, slots, a, b, c, d));
      assertEquals(
          reaching, Rectangles.reachingOneByOne(nodes, OFFSET, columnBytes, slots, a, b, c, d));
    }
    assertEquals(-1L >>> (64 - slots), found, "every slot was found");
  }

  /** What is searched for reaches over the whole plane, and what pads is around it all the same. */
  @ParameterizedTest(name = "{0} slots")
  @ValueSource(ints = {4, 8, 16, 64})
  void paddingIsNeverFound(int slots) {
    int columnBytes = 8 * slots;
    MemorySegment nodes = arena.allocate(OFFSET + 4L * columnBytes, 64);
    for (int i = 0; i < 4 * slots; i++) {
      nodes.set(ValueLayout.JAVA_DOUBLE, OFFSET + 8L * i, Rectangles.PADDING);
    }
    double most = Double.POSITIVE_INFINITY;
    assertEquals(
        0, Rectangles.reaching(nodes, OFFSET, columnBytes, slots, most, most, -most, -most));
    nodes.fill((byte) 0);
    assertTrue(
        Rectangles.reaching(nodes, OFFSET, columnBytes, slots, most, most, -most, -most) != 0);
  }

  /** Mostly a number of a few, so that all four comparisons hold often enough. */
  private double coordinate() {
    return random.nextInt(20) == 0
        ? Rectangles.PADDING
        : COORDINATES[random.nextInt(COORDINATES.length)];
  }
}
