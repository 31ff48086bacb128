// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearMatchTest {
  private static final List<String> NAMES = List.of("load", "dump", "PbPlusTree", "BPlusTree");

  @ParameterizedTest
  @CsvSource({
    "'', '', 0",
    "kitten, sitting, 3",
    "sitting, kitten, 3",
    "load, load, 0",
    "load, laod, 2",
    "'', dump, 4",
    "dump, '', 4"
  })
  void distanceCountsInsertedDeletedAndReplacedLetters(String from, String to, int distance) {
    assertEquals(distance, NearMatch.distance(from, to));
  }

  @ParameterizedTest
  @CsvSource({
    "laod, '; did you mean load?'",
    "LOAD, '; did you mean load?'",
    "pbplustre, '; did you mean PbPlusTree?'",
    "PPlusTree, '; did you mean PbPlusTree or BPlusTree?'",
    "Pb, '; did you mean PbPlusTree?'",
    "oak, ''",
    "'', ''"
  })
  void nearestNamesAreProposed(String word, String question) {
    assertEquals(question, NearMatch.question(word, NAMES));
  }

  @Test
  void noNameIsNearWhereThereAreNone() {
    assertEquals(List.of(), NearMatch.of("load", List.of()));
  }
}
