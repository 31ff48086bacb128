// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DocumentedFiguresTest {

  @Test
  void timesAreInTheUnitThatOneWouldSay() {
    assertEquals("7.2 ns", DocumentedFigures.time(7.21));
    assertEquals("229 ns", DocumentedFigures.time(229.4));
    assertEquals("2.5 µs", DocumentedFigures.time(2521));
    assertEquals("12 µs", DocumentedFigures.time(12_100));
  }

  @Test
  void tableHasTheMedianAndADashForWhatIsNotMeasured() {
    Figures figures = new Figures();
    List.of(100.0, 900.0, 200.0).forEach(nanos -> figures.add("A", Measure.GET, nanos));
    figures.add("A", Measure.SCAN_AFTER_PUT, 3.2);
    figures.add("B", Measure.GET, 10);
    DocumentedFigures documented = new DocumentedFigures(figures, List.of("A", "B"));
    assertEquals("| `A` | 200 ns | – | – | – | 5.0 ns | – |", documented.table().get(2));
    assertEquals("| `B` | 10 ns | – | – | – | – | – |", documented.table().get(3));
  }

  @Test
  void ratioSaysHowManyTimesAsFastAsTheFirstStructure() {
    Figures figures = new Figures();
    figures.add("A", Measure.SCAN_AFTER_PUT, 0.5);
    figures.add("B", Measure.SCAN_AFTER_PUT, 5);
    DocumentedFigures documented = new DocumentedFigures(figures, List.of("A", "B"));
    String json = documented.toJson().toString();
    assertEquals("10 times", json.replaceAll(".*ratio=([^}]*)}]", "$1"));
  }
}
