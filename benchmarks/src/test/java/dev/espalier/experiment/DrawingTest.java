// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Chart.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a reader finds in a chart. */
final class DrawingTest {
  private static final Pattern LINE =
      Pattern.compile(
          "<polyline points=\"[^\"]*\" fill=\"none\" stroke=\"(#\\w+)\" stroke-width=\"2\"/>");

  @Test
  void sixteenLinesAreFourPanelsOfFourIfAColumnTellsThemApart() {
    Chart chart = new Chart(Kind.LINES, "tree", "width", "nanos").inPanels("page");
    String svg = svg(chart, 4, 4);
    assertEquals(16, colors(svg).size());
    assertEquals(4, colors(svg).stream().distinct().count());
    for (String title : List.of("page size 4 KB", "page size 32 KB")) {
      assertTrue(svg.contains(">" + title + "</text>"), svg);
    }
  }

  @Test
  void panelHasAtMostEightLinesAndNoHueTwice() {
    String svg = svg(new Chart(Kind.LINES, "tree", "width", "nanos"), 18, 1);
    List<String> colors = colors(svg);
    assertEquals(18, colors.size());
    // Three panels of six.
    for (int panel = 0; panel < 3; panel++) {
      assertEquals(6, colors.subList(6 * panel, 6 * panel + 6).stream().distinct().count());
    }
    assertEquals(3, Pattern.compile(">node width, logarithmic<").matcher(svg).results().count());
  }

  @Test
  void footerSaysHowMuchDataWhereAndWhen() {
    String svg = svg(new Chart(Kind.LINES, "tree", "width", "nanos"), 2, 1);
    assertTrue(
        svg.contains(">1,000 entries · a processor · 1970-01-01 · commit 0123456789 · quick<"),
        svg);
  }

  @Test
  void barsShowTheirValues() {
    String svg = svg(new Chart(Kind.BARS, "tree", "tree", "nanos"), 3, 1);
    assertTrue(svg.contains(">1.5 µs</text>"), svg);
  }

  @Test
  void partsOfABarAddUp() {
    String svg = svg(new Chart(Kind.STACKED_BARS, "tree", "page", "nanos"), 3, 1);
    // Of three trees with 1.5 µs each.
    assertTrue(svg.contains(">4.5 µs</text>"), svg);
  }

  private static List<String> colors(String svg) {
    return LINE.matcher(svg).results().map((MatchResult match) -> match.group(1)).toList();
  }

  private static String svg(Chart chart, int trees, int pages) {
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.integer("page", "page size", "KB"),
            Column.integer("width", "node width", ""),
            Column.real("nanos", "time", "ns"));
    outcome.parameter("entries", 1000);
    List<Integer> sizes = Stream.of(4, 8, 16, 32).limit(pages).toList();
    for (int size : sizes) {
      for (int tree = 0; tree < trees; tree++) {
        outcome.row("tree " + tree, size, 1, 1500.0);
        if (chart.kind() == Kind.LINES) {
          outcome.row("tree " + tree, size, 32, 1600.0);
        }
      }
    }
    Description description =
        new Description("paper-fig1", "Title", "paper, figure 1", "Paper.", "Here.", chart);
    Result result =
        new Result(description, Results.circumstances(), outcome, Duration.ofSeconds(1));
    return new String(new Drawing(result).svg(), StandardCharsets.UTF_8);
  }
}
