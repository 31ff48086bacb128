// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.TracedJvm;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which lines each policy prefetches, in which order. Of a leaf of 8 lines, 0 to 3 are keys and 4
 * to 7 values, of the root 0 to 4 keys and 5 to 7 children; the header is in the last line of both.
 */
class PrefetchPolicyTest {
  private static final Map<String, String> LINES = new HashMap<>();

  @BeforeAll
  static void runTraced() throws IOException, InterruptedException {
    for (String line : TracedJvm.run(TracedPrefetches.class)) {
      int colon = line.indexOf(':');
      LINES.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "NONE, ''",
    "BY_SEARCH, 3:4567",
    "LINEAR, r:01234567 3:01234567",
    "HALF_LINEAR, r:70125 3:7014",
    "BINARY, r:05 3:04",
    "HALF_BINARY, r:710256 3:70145"
  })
  void lookupInANearlyEmptyLeafFetches(String policy, String lines) {
    assertEquals(lines, LINES.get("get " + policy + " of 7"));
    assertEquals(lines, LINES.get("put " + policy + " of 7"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "NONE, ''",
    "BY_SEARCH, 1:4567",
    "LINEAR, r:01234567 1:01234567",
    "HALF_LINEAR, r:70125 1:70123456",
    "BINARY, r:05 1:10235467",
    "HALF_BINARY, r:710256 1:70145236"
  })
  void lookupInAFullLeafFetches(String policy, String lines) {
    assertEquals(lines, LINES.get("get " + policy + " of 31"));
  }

  @Test
  void defaultChoicesFetchWhatThePbPlusTreeFetches() {
    assertEquals(LINES.get("get as PbPlusTree of 7"), LINES.get("get BY_SEARCH of 7"));
    assertEquals(LINES.get("put as PbPlusTree of 7"), LINES.get("put BY_SEARCH of 7"));
    assertEquals(LINES.get("next as PbPlusTree"), LINES.get("next Internal LINEAR"));
    assertEquals(LINES.get("previous as PbPlusTree"), LINES.get("previous Internal LINEAR"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Internal", "Chunked", "Flat"})
  void everyArrayLeadsToTheLeavesAheadInBothDirections(String array) {
    assertEquals("1:01234567 2:01234567 3:01234567", LINES.get("next " + array + " LINEAR"));
    assertEquals("2:01234567 1:01234567 0:01234567", LINES.get("previous " + array + " LINEAR"));
    assertEquals("", LINES.get("next " + array + " NONE"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Internal", "Chunked", "Flat"})
  void halfLinearScanAsksForTheRestOfALeafWhenItsHeaderIsThere(String array) {
    assertEquals(
        "1:701 2:701 1:23456 3:701 2:23456 3:4", LINES.get("next " + array + " HALF_LINEAR"));
    assertEquals(
        "2:701 1:701 2:23456 0:701 1:23456 0:23456",
        LINES.get("previous " + array + " HALF_LINEAR"));
  }
}
