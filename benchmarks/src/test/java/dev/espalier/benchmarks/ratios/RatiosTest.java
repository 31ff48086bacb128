// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program, on very little data. */
final class RatiosTest {

  @Tag("thorough")
  @Test
  void everyChosenLineOfTheTableIsMeasured() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    Output output = run("--entries=20k", "--forks=1", "--rounds=1", "--put-rounds=1");
    assertEquals(0, output.status, output.text);
    List<String> targets = output.tableAfter("| work | target |");
    assertEquals(13, targets.size(), output.text);
    for (String target : targets) {
      assertTrue(target.matches(".*\\| [0-9.]+[x%]? \\| (yes|\\*\\*no\\*\\*) \\|"), target);
    }
    assertTrue(targets.stream().anyMatch(line -> line.contains("after a full bulkload")));
  }

  @Test
  @Tag("thorough")
  void familyIsMeasured() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    String trees = "--trees=CssTree,CsbPlusTree";
    Output output = run(Family.class, trees, "--entries=20k", "--forks=1", "--rounds=1");
    assertEquals(0, output.status, output.text);
    assertEquals(6, output.tableAfter("| work | target |").size(), output.text);
  }

  @Test
  @Tag("thorough")
  void readmeWritesEveryFigureATableAndAChart(@TempDir Path docs) throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    Files.createDirectory(docs.resolve("measurements"));
    Files.createDirectory(docs.resolve("images"));
    Output output =
        run(Readme.class, "--entries=20k", "--rounds=1", "--insert-rounds=1", "--docs=" + docs);
    assertEquals(0, output.status, output.text);

    JsonObject file =
        JsonParser.parseString(Files.readString(docs.resolve("measurements/readme-20k.json")))
            .getAsJsonObject();
    assertEquals("benchmarks/run readme --entries 20k", file.get("command").getAsString());
    Set<String> works = new TreeSet<>();
    for (JsonElement figure : file.getAsJsonArray("figures")) {
      if (figure.getAsJsonObject().get("structure").getAsString().equals("PbPlusTree")) {
        works.add(figure.getAsJsonObject().get("work").getAsString());
        assertTrue(figure.getAsJsonObject().get("ratio").getAsString().endsWith(" times"));
      }
    }
    assertEquals(
        Set.of(
            "lookup",
            "lookup in a batch",
            "insert",
            "range of 100, per entry",
            "scan, per entry",
            "memory per entry"),
        works);
    List<String> table =
        file.getAsJsonArray("table").asList().stream().map(JsonElement::getAsString).toList();
    assertTrue(table.stream().anyMatch(line -> line.startsWith("| `TreeMap` | ")), output.text);
    assertTrue(
        table.stream().anyMatch(line -> line.matches("\\| `Long2LongOpenHashMap` .* – \\| – .*")),
        output.text);
    String chart = Files.readString(docs.resolve("images/readme-20k.svg"));
    assertTrue(chart.contains(">PbPlusTree</text>"), chart);
  }

  @Test
  @Tag("thorough")
  void hashTablesAreMeasuredBesideTrees(@TempDir Path folder) throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    Path json = folder.resolve("hashes.json");
    Output output =
        run(
            HashRatios.class,
            "--entries=20k",
            "--probes=10k",
            "--json=" + json,
            "--rounds=1",
            "--dense");
    assertEquals(0, output.status, output.text);
    List<String> rows = output.tableAfter("| structure | ns a probe |");
    assertEquals(4, rows.size(), output.text);
    assertTrue(rows.get(0).matches("\\| DigestCssTree( \\| [0-9.]+x?){4} \\|"), rows.get(0));
    JsonObject file = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertEquals(
        "benchmarks/run --compare hashes --entries=20k --probes=10k --rounds=1 --dense",
        file.get("command").getAsString());
    assertEquals(1, file.getAsJsonArray("tables").size());
  }

  @Test
  @Tag("thorough")
  void stringsAreMeasured() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    Output output = run(StringRatios.class, "--entries=2k", "--quick", "--value-bytes=8,100");
    assertEquals(0, output.status, output.text);
    List<String> rows = output.tableAfter("| work | target |");
    assertEquals(2 * 13 + 4, rows.size(), output.text);
    for (String row : rows) {
      if (!row.matches(".*against [^|]*(LMDB|MVStore|RocksDB).*")) {
        assertTrue(row.matches(".*\\| [0-9.]+x? \\| (yes|\\*\\*no\\*\\*) \\|"), row);
      }
    }
  }

  @Test
  void valuesThatAreTooShortAreRefused() throws Exception {
    Output output = run(StringRatios.class, "--entries=2k", "--value-bytes=4");
    assertEquals(1, output.status, output.text);
    assertTrue(output.text.contains("values have 4 bytes; they must have"), output.text);
  }

  @Test
  void wrongSizeIsRefused() throws Exception {
    Output output = run("--entries=many");
    assertEquals(1, output.status, output.text);
    assertTrue(output.text.contains("size is 'many'"), output.text);
  }

  private record Output(int status, String text) {

    List<String> tableAfter(String header) {
      return text.lines()
          .dropWhile(line -> !line.startsWith(header))
          .skip(2)
          .takeWhile(line -> !line.isBlank())
          .toList();
    }
  }

  private static Output run(String... arguments) throws IOException, InterruptedException {
    return run(Ratios.class, arguments);
  }

  private static Output run(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                "-Despalier.bench.native=any",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("ESPALIER_BENCHMARKS", "benchmarks/run --compare");
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), text);
  }
}
