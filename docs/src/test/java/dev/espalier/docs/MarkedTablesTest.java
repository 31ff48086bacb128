// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every table of measured figures says in a mark above it which file holds them, {@code <!--
 * figures of NAME -->}, for {@link BackedFiguresTest}; or which tests assert them, {@code <!-- held
 * by TEST -->}. Other tables on the same pages have {@code <!-- not measured -->}.
 */
final class MarkedTablesTest {
  /** On these pages all tables are marked. */
  private static final Path MEASUREMENTS = Path.of("measurements");

  /**
   * On these pages only tables with figures are marked. The README and the page on trees are not
   * among them: all their figures are held to files by {@link MeasuredFiguresTest}.
   */
  private static final List<Path> OTHERS =
      Stream.of("engines.md", "files.md", "byte-strings.md", "patterns.md", "using.md")
          .map(Path::of)
          .toList();

  private static final Pattern RULE = Pattern.compile("\\|[-:| ]*-[-:| ]*\\|");

  private static final Pattern MARK =
      Pattern.compile("<!-- (?:figures of [\\w., -]+|held by [\\w, ]+|not measured) -->");

  private static final Pattern TEST_SOURCE = Pattern.compile(".*/src/test/java/.*/(\\w+)\\.java");

  private static final Pattern HELD = Pattern.compile("<!-- held by ([\\w, ]+) -->");

  private static final Pattern FIGURE =
      Pattern.compile(
          "[0-9][0-9.,]* ?(?:ns|µs|ms|s|times|x|GB/s|%)(?!\\w)", Pattern.UNICODE_CHARACTER_CLASS);

  /**
   * A table of a page.
   *
   * @param above the line above it that is not blank
   * @param lines its head, rule and rows
   */
  private record Table(String above, List<String> lines) {

    boolean isMarked() {
      return MARK.matcher(above).matches();
    }

    boolean hasFigures() {
      return lines.stream().anyMatch(line -> FIGURE.matcher(line).find());
    }
  }

  @Test
  void everyTableIsMarked() throws IOException {
    List<String> unmarked = new ArrayList<>();
    for (Path page : measurements()) {
      tables(page).stream()
          .filter(table -> !table.isMarked())
          .forEach(table -> unmarked.add(page + ": " + table.lines.getFirst()));
    }
    for (Path page : OTHERS) {
      tables(page).stream()
          .filter(table -> table.hasFigures() && !table.isMarked())
          .forEach(table -> unmarked.add(page + ": " + table.lines.getFirst()));
    }
    assertEquals(List.of(), unmarked);
  }

  @Test
  void testsThatAreSaidToHoldTablesExist() throws IOException {
    Set<String> tests = tests();
    List<String> missing = new ArrayList<>();
    int held = 0;
    for (Path page : pages()) {
      Matcher mark = HELD.matcher(Files.readString(page));
      while (mark.find()) {
        held++;
        for (String test : mark.group(1).split(", ", -1)) {
          if (!tests.contains(test)) {
            missing.add(page + ": " + test);
          }
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(held > 0);
    assertEquals(false, tests.contains("NoSuchTest"));
  }

  /** Returns the names of all test classes. */
  private static Set<String> tests() throws IOException {
    Set<String> tests = new HashSet<>();
    for (String module : List.of("core", "io", "integration", "benchmarks")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module))) {
        files
            .map(Path::toString)
            .map(TEST_SOURCE::matcher)
            .filter(Matcher::matches)
            .forEach(source -> tests.add(source.group(1)));
      }
    }
    return tests;
  }

  @Test
  void tableWithoutAMarkIsFound() {
    String table = "| tree | ns |\n|---|---:|\n| `PbPlusTree` | 1.5 |\n";
    String page =
        "Text.\n\n%1$s\n<!-- figures of a, b -->\n%1$s\n<!-- not measured -->\n\n%1$s\n"
                .formatted(table)
            + "```\n%1$s```\n\n* Text:\n\n  %2$s\n<!-- held by SomeTest -->\n%1$s"
                .formatted(table, table.replace("\n|", "\n  |"))
            + "\n<!-- not backed: a program -->\n"
            + table;
    List<Table> tables = tables(page);
    assertEquals(
        List.of("Text.", "* Text:", "<!-- not backed: a program -->"),
        tables.stream().filter(some -> !some.isMarked()).map(Table::above).toList());
    assertEquals(6, tables.size());
    assertEquals(table, String.join("\n", tables.getFirst().lines) + "\n");
  }

  @Test
  void figureIsANumberWithAUnit() {
    assertTrue(new Table("", List.of("| `get` | 12 ns |")).hasFigures());
    assertTrue(new Table("", List.of("| `get` | 1.98x |")).hasFigures());
    assertEquals(false, new Table("", List.of("| a pool of 64 MiB | 8 bytes |")).hasFigures());
  }

  /** Returns the pages on which marks stand. */
  static List<Path> pages() throws IOException {
    return Stream.concat(measurements().stream(), OTHERS.stream()).toList();
  }

  private static List<Path> measurements() throws IOException {
    try (Stream<Path> files = Files.list(MEASUREMENTS)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  private static List<Table> tables(Path page) throws IOException {
    return tables(Files.readString(page));
  }

  private static List<Table> tables(String page) {
    List<String> lines = page.lines().map(String::strip).toList();
    List<Table> tables = new ArrayList<>();
    boolean isCode = false;
    for (int i = 1; i < lines.size(); i++) {
      isCode ^= lines.get(i).startsWith("```");
      if (!isCode && RULE.matcher(lines.get(i)).matches()) {
        int head = i - 1;
        int end = i + 1;
        while (end < lines.size() && lines.get(end).startsWith("|")) {
          end++;
        }
        int above = head - 1;
        while (above > 0 && lines.get(above).isEmpty()) {
          above--;
        }
        tables.add(new Table(above < 0 ? "" : lines.get(above), lines.subList(head, end)));
      }
    }
    return tables;
  }
}
