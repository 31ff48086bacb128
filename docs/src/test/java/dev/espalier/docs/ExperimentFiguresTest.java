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
 * Tables on pages written by hand, below a mark like {@code <!-- figures of fpb-fig16 -->}: each of
 * their figures is in the published results of these experiments, rounded.
 */
final class ExperimentFiguresTest {
  private static final Path PAGES = Path.of("measurements");
  private static final Path PUBLISHED = PAGES.resolve("experiments");

  /** The mark, then the rows of the table, its head and rule left out. */
  private static final Pattern TABLE =
      Pattern.compile(
          "<!-- figures of ([\\w., -]+?) -->\\s*\\|.*\\n\\|[-:| ]+\\|\\n((?:\\|.*\\n?)+)");

  /** A cell of nothing but figures. */
  private static final Pattern CELL = Pattern.compile("(?:-?[0-9][0-9.]*(?:, )?)+");

  private static final Pattern FIGURE = Pattern.compile("-?[0-9]+(?:\\.[0-9]+)?");

  @Test
  void figuresOfMarkedTablesAreInTheResults() throws IOException {
    List<String> missing = new ArrayList<>();
    int tables = 0;
    for (Path page : pages()) {
      Matcher table = TABLE.matcher(Files.readString(page));
      while (table.find()) {
        tables++;
        List<BigDecimal> measured = new ArrayList<>();
        for (String experiment : table.group(1).split(", ", -1)) {
          JsonElement result = read(experiment);
          addNumbers(result, measured);
        }
        for (String figure : notIn(measured, table.group(2))) {
          missing.add(page.getFileName() + ", " + table.group(1) + ": " + figure);
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(tables >= 3, tables + " tables");
  }

  @Test
  void figureThatNobodyMeasuredIsFound() {
    List<BigDecimal> measured = List.of(new BigDecimal("1.8991"), new BigDecimal("-0.52"));
    String rows = "| `Tree`, 16 children | 1.90 | 1.899, -0.5 | missed |\n";
    assertEquals(List.of(), notIn(measured, rows));
    assertEquals(List.of("1.91", "0.5"), notIn(measured, "| 9 lives | 1.91 | 1.9, 0.5 |\n"));
  }

  /** A quick run shows that an experiment works; no page is to argue with its figures. */
  @Test
  void markedTablesAreOfFullRuns() throws IOException {
    for (Path page : pages()) {
      Matcher table = TABLE.matcher(Files.readString(page));
      while (table.find()) {
        for (String experiment : table.group(1).split(", ", -1)) {
          JsonObject machine = read(experiment).getAsJsonObject("machine");
          assertEquals("full", machine.get("effort").getAsString(), experiment);
        }
      }
    }
  }

  /** Returns the figures of rows that no measured number gives when it is rounded as they are. */
  private static List<String> notIn(List<BigDecimal> measured, String rows) {
    List<String> missing = new ArrayList<>();
    for (String row : rows.split("\n", -1)) {
      for (String cell : row.split("\\|", -1)) {
        if (CELL.matcher(cell.strip()).matches()) {
          FIGURE
              .matcher(cell)
              .results()
              .map(MatchResult::group)
              .filter(figure -> !isRounded(new BigDecimal(figure), measured))
              .forEach(missing::add);
        }
      }
    }
    return missing;
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
