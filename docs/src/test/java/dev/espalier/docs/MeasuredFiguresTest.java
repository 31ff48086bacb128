// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Figures that the documents show are in a file that {@code benchmarks/run readme} wrote. */
final class MeasuredFiguresTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path MEASUREMENTS = Path.of("measurements");
  private static final int MOST_LINES = 150;

  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```");

  /** A number with a unit that something was measured in; limits have other units. */
  private static final Pattern FIGURE =
      Pattern.compile(
          "[0-9][0-9.,]* (?:ns|µs|ms|times|bytes|GB/s)\\b", Pattern.UNICODE_CHARACTER_CLASS);

  private static final Pattern TABLE_ROW = Pattern.compile("(?m)^\\| (?:`\\w+`)? ?\\|.*\\|$");

  @ParameterizedTest
  @ValueSource(strings = {"../README.md", "which-tree.md"})
  void everyFigureIsInAFileThatACommandWrote(String document) throws IOException {
    Set<String> measured = new HashSet<>();
    for (JsonObject file : files()) {
      for (JsonElement figure : file.getAsJsonArray("figures")) {
        measured.add(figure.getAsJsonObject().get("text").getAsString());
        measured.add(figure.getAsJsonObject().get("ratio").getAsString());
      }
    }
    String text = CODE_BLOCK.matcher(Files.readString(Path.of(document))).replaceAll("");
    List<String> shown = FIGURE.matcher(text).results().map(MatchResult::group).toList();
    assertEquals(List.of(), shown.stream().filter(figure -> !measured.contains(figure)).toList());
    assertTrue(shown.size() >= 4, () -> "the figures are " + shown);
  }

  @Test
  void rowsOfMeasuredTablesAreThoseOfTheFiles() throws IOException {
    Set<String> written = new HashSet<>();
    for (JsonObject file : files()) {
      file.getAsJsonArray("table").forEach(line -> written.add(line.getAsString()));
    }
    List<String> shown =
        TABLE_ROW
            .matcher(Files.readString(Path.of("which-tree.md")))
            .results()
            .map(MatchResult::group)
            .filter(row -> FIGURE.matcher(row).find())
            .toList();
    assertEquals(List.of(), shown.stream().filter(row -> !written.contains(row)).toList());
    assertTrue(shown.size() > 5, () -> "the rows are " + shown);
  }

  @Test
  void filesSayTheCommandThatWroteThem() throws IOException {
    for (JsonObject file : files()) {
      assertTrue(file.get("command").getAsString().startsWith("benchmarks/run readme "));
    }
  }

  @Test
  void readmeIsShort() throws IOException {
    int lines = Files.readAllLines(README).size();
    assertTrue(lines <= MOST_LINES, () -> lines + " lines");
  }

  private static List<JsonObject> files() throws IOException {
    List<JsonObject> files = new ArrayList<>();
    try (DirectoryStream<Path> written = Files.newDirectoryStream(MEASUREMENTS, "*.json")) {
      for (Path file : written) {
        files.add(JsonParser.parseString(Files.readString(file)).getAsJsonObject());
      }
    }
    assertTrue(!files.isEmpty(), "no measurements");
    return files;
  }
}
