// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tables and paragraphs on pages written by hand, below a mark like {@code <!-- figures of
 * fpb-fig16 -->}: each of their figures is in the published results of these experiments, rounded.
 * Columns that say what a paper or a target has are left out, and among words numbers without a
 * point.
 */
final class ExperimentFiguresTest {
  private static final Path PAGES = Path.of("measurements");
  private static final Path PUBLISHED = PAGES.resolve("experiments");

  /** The mark; then the head of a table, its rule and its rows, or else a paragraph. */
  private static final Pattern MARKED =
      Pattern.compile(
          "<!-- figures of ([\\w., -]+?) -->\\s*"
              + "(?:(\\|.*)\\n\\|[-:| ]+\\|\\n((?:\\|.*\\n?)+)|((?:[^|\\n].*\\n)+))");

  /** Heads of columns whose figures nobody measured here. */
  private static final Pattern OTHERS = Pattern.compile("paper|target");

  /** A cell of nothing but figures, or of the least and the greatest. */
  private static final Pattern CELL =
      Pattern.compile("-?[0-9][0-9.]*(?:(?:, | to | and )-?[0-9][0-9.]*)*");

  private static final Pattern IN_PROSE = Pattern.compile("-?\\b[0-9]+\\.[0-9]+(?!\\.?[0-9])");

  private static final Pattern FIGURE = Pattern.compile("-?[0-9]+(?:\\.[0-9]+)?");

  @Test
  void markedFiguresAreInTheResults() throws IOException {
    List<String> missing = new ArrayList<>();
    int marks = 0;
    for (Path page : pages()) {
      Matcher marked = MARKED.matcher(Files.readString(page));
      while (marked.find()) {
        marks++;
        List<BigDecimal> measured = new ArrayList<>();
        for (String experiment : marked.group(1).split(", ", -1)) {
          addNumbers(read(experiment), measured);
        }
        for (String figure : notIn(measured, marked)) {
          missing.add(page.getFileName() + ", " + marked.group(1) + ": " + figure);
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(marks >= 3, marks + " marks");
  }

  private static List<String> notIn(String page) {
    Matcher marked = MARKED.matcher(page);
    assertTrue(marked.find(), page);
    return notIn(
        List.of(new BigDecimal("1.8991"), new BigDecimal("-0.52"), new BigDecimal("2.44")), marked);
  }

  @Test
  void figureThatNobodyMeasuredIsFound() {
    String head = "<!-- figures of a -->\n| tree | one | two | the paper's |\n|---|---|---|---|\n";
    String rows = "| `Tree`, 16 children | 1.90 to 2.4 | 1.899, -0.5 | 7.7 |\n";
    assertEquals(List.of(), notIn(head + rows));
    assertEquals(List.of("1.91", "0.5"), notIn(head + "| 9 lives | 1.91 | 1.9, 0.5 |\n"));
    assertEquals(List.of("2.5"), notIn(head + "| 9 lives | 1.9 times, 16 lines | 2.5 times |\n"));
    assertEquals(List.of("2.5"), notIn(head + "| 9 lives | 1.9 to 2.5 | 1.9 and 2.4 |\n"));
    String mark = "<!-- figures of a -->\n";
    assertEquals(List.of(), notIn(mark + "It takes 1.9 of 16 lines,\nand 2.44.\n\nLater 3.3.\n"));
    assertEquals(List.of("2.5"), notIn(mark + "It takes 1.9 of 16 lines,\nand 2.5.\n"));
  }

  /** A quick run shows that an experiment works; no page is to argue with its figures. */
  @Test
  void markedFiguresAreOfFullRuns() throws IOException {
    for (Path page : pages()) {
      Matcher marked = MARKED.matcher(Files.readString(page));
      while (marked.find()) {
        for (String experiment : marked.group(1).split(", ", -1)) {
          JsonObject machine = read(experiment).getAsJsonObject("machine");
          assertEquals("full", machine.get("effort").getAsString(), experiment);
        }
      }
    }
  }

  /** Returns the figures that no measured number gives when it is rounded as they are. */
  private static List<String> notIn(List<BigDecimal> measured, Matcher marked) {
    List<String> figures = new ArrayList<>();
    if (marked.group(4) != null) {
      IN_PROSE.matcher(marked.group(4)).results().map(MatchResult::group).forEach(figures::add);
    } else {
      String[] head = marked.group(2).split("\\|", -1);
      for (String row : marked.group(3).split("\n", -1)) {
        String[] cells = row.split("\\|", -1);
        for (int i = 0; i < cells.length; i++) {
          boolean isMeasured = i >= head.length || !OTHERS.matcher(head[i]).find();
          Pattern figure = CELL.matcher(cells[i].strip()).matches() ? FIGURE : IN_PROSE;
          if (isMeasured) {
            figure.matcher(cells[i]).results().map(MatchResult::group).forEach(figures::add);
          }
        }
      }
    }
    figures.removeIf(figure -> isRounded(new BigDecimal(figure), measured));
    return figures;
  }

  private static boolean isRounded(BigDecimal figure, List<BigDecimal> measured) {
    return measured.stream()
        .anyMatch(number -> number.setScale(figure.scale(), RoundingMode.HALF_UP).equals(figure));
  }

  private static void addNumbers(JsonElement element, List<BigDecimal> numbers) {
    if (element.isJsonObject()) {
      element.getAsJsonObject().asMap().values().forEach(value -> addNumbers(value, numbers));
    } else if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(value -> addNumbers(value, numbers));
    } else if (element instanceof JsonPrimitive value && value.isNumber()) {
      numbers.add(value.getAsBigDecimal());
    }
  }

  private static JsonObject read(String experiment) throws IOException {
    return JsonParser.parseString(Files.readString(PUBLISHED.resolve(experiment + ".json")))
        .getAsJsonObject();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(PAGES)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }
}
