// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DataSizeTest {
  private static final OptionalLong CACHE = OptionalLong.of(32 << 20);

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "10000000, 10000000",
    "10M, 10000000",
    "5k, 5000",
    "1xLLC, 2097152",
    "4xLLC, 8388608",
    "1/16xLLC, 131072",
    "3/2xLLC, 3145728"
  })
  void sizesAreCountsOrMultiplesOfTheCache(String text, long entries) {
    assertEquals(entries, DataSize.entries(text, CACHE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "many", "0", "0xLLC", "1/0xLLC", "1/99999999xLLC", "-1", "4LLC", "10G"})
  void whatIsNoSizeIsRefusedByName(String text) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> DataSize.entries(text, CACHE));
    assertTrue(String.valueOf(e.getMessage()).contains("'" + text + "'"), e.getMessage());
  }

  @Test
  void multiplesNeedAKnownCache() {
    assertEquals(7, DataSize.entries("7", OptionalLong.empty()));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> DataSize.entries("1xLLC", OptionalLong.empty()));
    assertTrue(String.valueOf(e.getMessage()).contains("cache sizes"), e.getMessage());
  }

  @Test
  void kernelSizesAreInBytes() {
    assertEquals(266240L << 10, Machine.bytes("266240K"));
    assertEquals(2L << 20, Machine.bytes("2M"));
    assertEquals(64, Machine.bytes("64"));
  }
}
