// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.patterns.Pattern;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PatternTableTest {

  @Test
  void patternsThatWereMeasuredAreColumns() {
    Map<String, Map<Pattern, Double>> rows = new LinkedHashMap<>();
    rows.put("one", Map.of(Pattern.RANDOM, 9.94, Pattern.HOT_SPOT, 1234.5, Pattern.SCAN, 10.0));
    rows.put("two", Map.of(Pattern.SCAN, 0.04));
    List<PrintedTable> tables =
        PatternTable.of("times", rows, EnumSet.of(Pattern.RANDOM, Pattern.HOT_SPOT, Pattern.SCAN));
    assertEquals(
        List.of(
            "| times | random | hot spot |",
            "|---|---|---|",
            "| one | 9.9 | 1,235 |",
            "| two |  |  |",
            "| times | scan |",
            "|---|---|",
            "| one | 10 |",
            "| two | 0.0 |"),
        tables.stream().flatMap(table -> table.lines().stream()).toList());
  }

  @Test
  void everyPatternHasAColumn() {
    Map<Pattern, Double> numbers = new LinkedHashMap<>();
    Stream.of(Pattern.values()).forEach(pattern -> numbers.put(pattern, 1.0));
    List<PrintedTable> tables =
        PatternTable.of("times", Map.of("one", numbers), EnumSet.allOf(Pattern.class));
    long columns =
        tables.stream()
            .map(table -> table.lines().getLast())
            .flatMap(line -> Stream.of(line.split("\\|", -1)))
            .filter(cell -> cell.strip().equals("1.0"))
            .count();
    assertEquals(Pattern.values().length, columns);
  }
}
