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
import java.nio.file.DirectoryStream;
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
 * fpb-fig16 -->}: each of their figures is in the published results of these experiments, in the
 * tables that {@code benchmarks/run} wrote with {@code --json}, or in the results that {@code
 * ./espalier join} did, rounded. Columns that say what a paper or a target has are left out, and
 * among words numbers without a point.
 */
final class BackedFiguresTest {
  private static final Path EXPERIMENTS = Path.of("measurements", "experiments");
  private static final Path RUNS = Path.of("measurements", "runs");

  /** The mark; then the head of a table, its rule and its rows, or else a paragraph. */
  private static final Pattern MARKED =
      Pattern.compile(
          "<!-- figures of ([\\w., -]+?) -->\\s*"
              + "(?:(\\|.*)\\n *\\|[-:| ]+\\|\\n((?: *\\|.*\\n?)+)|((?:[^|\\n].*\\n)+))");

  /** Heads of columns whose figures nobody measured here. */
  private static final Pattern OTHERS = Pattern.compile("paper|target");

  private static final String NUMBER = "-?[0-9]+(?:,[0-9]{3})*(?:\\.[0-9]+)?";
  private static final String MILLION = " M";
  private static final String AMOUNT =
      NUMBER + "(?: ?(?:x|%|ns|µs|ms|GB/s|times)|" + MILLION + ")?";

  /** A cell of nothing but figures, or of the least and the greatest. */
  private static final Pattern CELL =
      Pattern.compile(
          "(?:\\*\\*)?%1$s(?:(?:, | to | and )%1$s)*(?:, missed)?(?:\\*\\*)?".formatted(AMOUNT));

  private static final String IF_MILLIONS = "(?:" + MILLION + "\\b)?";

  private static final Pattern IN_PROSE =
      Pattern.compile("-?\\b[0-9]+\\.[0-9]+(?!\\.?[0-9])" + IF_MILLIONS);

  private static final Pattern FIGURE = Pattern.compile(NUMBER + IF_MILLIONS);

  /** What writes such files. */
  private static final Pattern COMMAND = Pattern.compile("(?:benchmarks/run|\\./espalier) .+");

  /** An absolute path, but no unit such as GB/s. */
  private static final Pattern FOLDER = Pattern.compile("(?<![\\w.)])/\\w");

  @Test
  void markedFiguresAreInTheResults() throws IOException {
    List<String> missing = new ArrayList<>();
    int marks = 0;
    for (Path page : MarkedTablesTest.pages()) {
      Matcher marked = MARKED.matcher(Files.readString(page));
      while (marked.find()) {
        marks++;
        List<BigDecimal> measured = new ArrayList<>();
        for (String name : marked.group(1).split(", ", -1)) {
          measured.addAll(numbers(read(name)));
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
        Stream.of("1.8991", "-0.52", "2.44", "7392345.6").map(BigDecimal::new).toList(), marked);
  }

  @Test
  void figureThatNobodyMeasuredIsFound() {
    String head = "<!-- figures of a -->\n| tree | one | two | the paper's |\n|---|---|---|---|\n";
    String rows = "| `Tree`, 16 children | 1.90 to 2.4 | 1.899, -0.5 | 7.7 |\n";
    assertEquals(List.of(), notIn(head + rows));
    assertEquals(List.of("1.91", "0.5"), notIn(head + "| 9 lives | 1.91 | 1.9, 0.5 |\n"));
    assertEquals(List.of("2.5"), notIn(head + "| 9 lives | 1.9 times, 16 lines | 2.5 times |\n"));
    assertEquals(
        List.of("1.91"), notIn(head.replace("\n|", "\n  |") + "  | a | 1.91 |\n  | b | 1.9 |\n"));
    assertEquals(List.of("2.5"), notIn(head + "| 9 lives | 1.9 to 2.5 | 1.9 and 2.4 |\n"));
    String mark = "<!-- figures of a -->\n";
    assertEquals(List.of(), notIn(mark + "It takes 1.9 of 16 lines,\nand 2.44.\n\nLater 3.3.\n"));
    assertEquals(List.of("2.5"), notIn(mark + "It takes 1.9 of 16 lines,\nand 2.5.\n"));
  }

  @Test
  void figureWithAUnitOrWithoutAPointIsLookedFor() {
    String head = "<!-- figures of a -->\n| tree | one |\n|---|---|\n";
    assertEquals(List.of(), notIn(head + "| a | 1.90x |\n| b | **2.4, missed** |\n| c | 2 ns |\n"));
    assertEquals(
        List.of("1.91", "2.5", "3", "1,900"),
        notIn(head + "| a | 1.91x |\n| b | **2.5, missed** |\n| c | 3 ns |\n| d | 1,900 |\n"));
  }

  @Test
  void figureInMillionsIsLookedFor() {
    String head = "<!-- figures of a -->\n| tree | one |\n|---|---|\n";
    assertEquals(
        List.of(),
        notIn(head + "| a | 7.39 M |\n| b | **7 M, missed** |\n| 60 M probes | 7,392,346 |\n"));
    assertEquals(
        List.of("7.38 M", "8 M", "7.39"),
        notIn(head + "| a | 7.38 M |\n| b | 8 M |\n| c | 7.39 |\n"));
    String mark = "<!-- figures of a -->\n";
    assertEquals(List.of("7.40 M"), notIn(mark + "It makes 7.39 M a second, or 7.40 M.\n"));
  }

  @Test
  void figuresOfAJoinAreInItsResults() {
    JsonObject join =
        object(
            "{'command': './espalier join --scale 1 --file FILE', 'machine': {'date':"
                + " '2026-11-22'}, 'results': [{'index': 'CssTree', 'probesPerSecond': 7.5e6,"
                + " 'timesHashMap': 0.75, 'pool': {'misses': 1.5}}]}");
    assertEquals(
        List.of(new BigDecimal("7.5e6"), new BigDecimal("0.75"), new BigDecimal("1.5")),
        numbers(join));
    assertEquals(List.of(), faults(join));
  }

  @Test
  void onlyNumbersInTheTablesOfARunCount() {
    assertEquals(
        List.of(new BigDecimal("1.5")),
        numbers(
            object(
                "{'command': 'benchmarks/run strings', 'seconds': 7,"
                    + " 'tables': [{'head': ['work'], 'rows': [['get', 'at least 5x', 1.5]]}]}")));
    assertEquals(List.of(new BigDecimal("7")), numbers(object("{'seconds': 7}")));
  }

  @Test
  void runsAreOfACommandAndNameNoFolders() throws IOException {
    if (Files.exists(RUNS)) {
      try (DirectoryStream<Path> runs = Files.newDirectoryStream(RUNS)) {
        for (Path run : runs) {
          assertEquals(List.of(), faults(object(Files.readString(run))), run.toString());
        }
      }
    }
  }

  @Test
  void foldersAndOtherCommandsAreFound() {
    assertEquals(
        List.of(), faults(object("{'command': 'benchmarks/run files FOLDER', 'a': '2 GB/s'}")));
    assertEquals(
        List.of("./measure", "-Dfile=/tmp/a", "/home/me/b"),
        faults(
            object(
                "{'command': './measure', 'machine': {'a': '-Dfile=/tmp/a'}, 'b':"
                    + " ['/home/me/b']}")));
  }

  /** Returns a command of neither script, and texts with absolute paths. */
  private static List<String> faults(JsonObject run) {
    List<String> faults = new ArrayList<>();
    String command = run.get("command").getAsString();
    if (!COMMAND.matcher(command).matches()) {
      faults.add(command);
    }
    primitives(run)
        .filter(value -> value.isString() && FOLDER.matcher(value.getAsString()).find())
        .forEach(value -> faults.add(value.getAsString()));
    return faults;
  }

  /** A quick run shows that an experiment works; no page is to argue with its figures. */
  @Test
  void markedFiguresAreOfFullRuns() throws IOException {
    for (Path page : MarkedTablesTest.pages()) {
      Matcher marked = MARKED.matcher(Files.readString(page));
      while (marked.find()) {
        for (String name : marked.group(1).split(", ", -1)) {
          JsonObject machine = read(name).getAsJsonObject("machine");
          assertEquals("full", machine.get("effort").getAsString(), name);
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
    figures.removeIf(figure -> isRounded(value(figure), measured));
    return figures;
  }

  /** Returns the number, with as many digits: 7.39 M is 739 times 10,000. */
  private static BigDecimal value(String figure) {
    BigDecimal number = new BigDecimal(figure.replace(MILLION, "").replace(",", ""));
    return figure.endsWith(MILLION) ? number.scaleByPowerOfTen(6) : number;
  }

  private static boolean isRounded(BigDecimal figure, List<BigDecimal> measured) {
    return measured.stream()
        .anyMatch(number -> number.setScale(figure.scale(), RoundingMode.HALF_UP).equals(figure));
  }

  /** Returns the numbers of an experiment, or those in the tables of a run. */
  private static List<BigDecimal> numbers(JsonObject result) {
    return primitives(result.has("tables") ? result.get("tables") : result)
        .filter(JsonPrimitive::isNumber)
        .map(JsonPrimitive::getAsBigDecimal)
        .toList();
  }

  private static Stream<JsonPrimitive> primitives(JsonElement element) {
    if (element.isJsonObject()) {
      return element.getAsJsonObject().asMap().values().stream()
          .flatMap(BackedFiguresTest::primitives);
    }
    if (element.isJsonArray()) {
      return element.getAsJsonArray().asList().stream().flatMap(BackedFiguresTest::primitives);
    }
    return element instanceof JsonPrimitive value ? Stream.of(value) : Stream.of();
  }

  private static JsonObject read(String name) throws IOException {
    Path experiment = EXPERIMENTS.resolve(name + ".json");
    Path run = RUNS.resolve(name + ".json");
    return object(Files.readString(Files.exists(experiment) ? experiment : run));
  }

  private static JsonObject object(String json) {
    return JsonParser.parseString(json).getAsJsonObject();
  }
}
