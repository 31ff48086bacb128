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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every number in the prose of the README was measured for a structure that stands beside it, or is
 * a fact that nobody measures. What it says in words about a ratio links to the page that backs it.
 */
final class ReadmeFiguresTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path MEASUREMENTS = Path.of("measurements");

  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```");

  /** Paragraphs, items of lists, rows of tables. */
  private static final Pattern BETWEEN = Pattern.compile("\\n\\s*\\n|\\n(?=> \\*|\\*|\\||#)");

  private static final Pattern MEASURED =
      Pattern.compile("([0-9][0-9.,]* (?:ns|µs|ms|times|bytes|GB/s))\\b");

  private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)\\]\\(([^)]*)\\)");
  private static final Pattern CODE = Pattern.compile("`([^`]*)`");
  private static final Pattern DIGITS = Pattern.compile("[0-9][0-9.,]*");

  private static final Pattern RATIO_IN_WORDS =
      Pattern.compile("\\b(?:half|thirds?|quarters?|fifths?|tenths?|twice|percent)\\b");

  /** What was measured, limits, versions and names. */
  private static final Pattern FACTS =
      Pattern.compile(
          "scans of 100 entries|JDK,? (?:from )?25|25 or later|from 17 on|JVM \\(25\\)|64[-"
              + " ]bits?|x86-64|aarch64|256 GiB|2 MiB|Apache-2\\.0|io_uring");

  /** Words that stand for a structure. */
  private static final Map<String, String> WORDS =
      Map.of("fastutil", "Long2LongOpenHashMap", "the fastest tree", "CssTree");

  @Test
  void everyNumberWasMeasuredForAStructureBesideIt() throws IOException {
    Map<String, Set<String>> figures = new HashMap<>();
    Set<String> sizes = new HashSet<>();
    for (JsonObject file : files()) {
      sizes.add(file.get("entries").getAsLong() / 1_000_000 + " million");
      for (JsonElement element : file.getAsJsonArray("figures")) {
        JsonObject figure = element.getAsJsonObject();
        Set<String> ofStructure =
            figures.computeIfAbsent(
                figure.get("structure").getAsString(), structure -> new HashSet<>());
        ofStructure.add(figure.get("text").getAsString());
        ofStructure.add(figure.get("ratio").getAsString());
      }
    }
    String text = CODE_BLOCK.matcher(Files.readString(README)).replaceAll("");
    List<String> missing = new ArrayList<>();
    for (String block : BETWEEN.split(text)) {
      missing.addAll(unbacked(block, figures, sizes));
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void numberOfAnotherStructureIsFound() {
    Map<String, Set<String>> figures =
        Map.of(
            "PbPlusTree", Set.of("6.6 times"),
            "CssTree", Set.of("26 times", "227 ns"),
            "Long2LongOpenHashMap", Set.of("34 ns"));
    Set<String> sizes = Set.of("10 million");
    assertEquals(List.of(), unbacked("26 times with `CssTree`, JDK 25", figures, sizes));
    assertEquals(List.of("26 times"), unbacked("26 times with `TTree`", figures, sizes));
    assertEquals(List.of("6.7 times"), unbacked("6.7 times", figures, sizes));
    assertEquals(
        List.of(), unbacked("fastutil's takes 34 ns, the fastest tree 227 ns", figures, sizes));
    assertEquals(List.of("40", "20"), unbacked("10 million, 40% and 20 million", figures, sizes));
    assertEquals(List.of("half"), unbacked("takes half the time", figures, sizes));
    assertEquals(
        List.of(), unbacked("[half the time](docs/measurements/buffering.md)", figures, sizes));
    assertEquals(List.of("half"), unbacked("[half the time](docs/files.md)", figures, sizes));
  }

  /** Returns the numbers, and ratios in words, of a part of the text that nothing backs. */
  private static List<String> unbacked(
      String block, Map<String, Set<String>> figures, Set<String> sizes) {
    Set<String> measured = new HashSet<>();
    for (String structure : structures(block)) {
      measured.addAll(figures.getOrDefault(structure, Set.of()));
    }
    String left = LINK.matcher(block).replaceAll(ReadmeFiguresTest::textOfLink);
    left = CODE.matcher(left).replaceAll("");
    left = FACTS.matcher(left.replace("\n", " ")).replaceAll("");
    for (String size : sizes) {
      left = left.replaceAll("(?<![0-9.])" + size, "");
    }
    List<String> unbacked = new ArrayList<>();
    Matcher figure = MEASURED.matcher(left);
    while (figure.find()) {
      if (!measured.contains(figure.group(1))) {
        unbacked.add(figure.group(1));
      }
    }
    left = MEASURED.matcher(left).replaceAll("");
    DIGITS.matcher(left).results().map(MatchResult::group).forEach(unbacked::add);
    RATIO_IN_WORDS.matcher(left).results().map(MatchResult::group).forEach(unbacked::add);
    return unbacked;
  }

  /** A link to a page of measurements backs what it says; of any other, the text counts. */
  private static String textOfLink(MatchResult link) {
    boolean isBacked = link.group(2).startsWith("docs/measurements/");
    return isBacked && !DIGITS.matcher(link.group(1)).find()
        ? ""
        : Matcher.quoteReplacement(link.group(1));
  }

  private static Set<String> structures(String block) {
    // What all is compared with, and what is meant where no tree is named.
    Set<String> structures = new HashSet<>(Set.of("TreeMap", "PbPlusTree"));
    CODE.matcher(block).results().map(code -> code.group(1)).forEach(structures::add);
    WORDS.forEach(
        (words, structure) -> {
          if (block.contains(words)) {
            structures.add(structure);
          }
        });
    return structures;
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
