// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class BlocksTest {
  private final Blocks blocks = new Blocks(8);

  @Test
  void blocksAreKnownByTheirNumbers() {
    blocks.label(2, 100, 4);
    assertEquals(0, blocks.mistaken(2, 100, 4));
    assertEquals(2, blocks.mistaken(3, 101, 5));
    assertEquals(4, blocks.mistaken(2, 101, 4));
  }

  @Test
  void blocksThatWereNotReadAreNoBlocksOfTheFile() {
    blocks.label(0, 0, 8);
    blocks.clear(0, 8);
    for (int i = 0; i < 8; i++) {
      assertEquals(1, blocks.mistaken(i, 0, 1));
    }
  }

  @Test
  void randomNumbersAreMultiplesWithinTheFileAndAlwaysTheSame() {
    long[] numbers = Blocks.random(1000, 103, 4);
    assertTrue(Arrays.stream(numbers).allMatch(number -> number % 4 == 0 && number <= 96));
    assertEquals(25, Arrays.stream(numbers).distinct().count());
    assertEquals(Arrays.toString(numbers), Arrays.toString(Blocks.random(1000, 103, 4)));
  }
}
