// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Engines are measured by Maven, which is a script here. */
final class EnginesTest {
  private static final String FIGURES =
      """
      echo "$@" > "$0.words"
      for word; do
        case $word in
          -Dfigures=*) printf 'join\\tns a row\\trows\\norders\\t219.875\\t-6\\n\\nway\\tratio\\nhash\\t1.0E-4\\nrest\\tNaN\\n' > "${word#*=}" ;;
        esac
      done
      """;

  @TempDir private Path folder;

  private int run(String script, String... arguments) throws IOException {
    Script.write(maven(), script);
    return Program.execute(new Engines(List.of(maven().toString(), "-B")), arguments);
  }

  private Path maven() {
    return folder.resolve("mvn");
  }

  private Path json() {
    return folder.resolve("run.json");
  }

  @Test
  void figuresOfTheTestClassAreWrittenAsNumbers() throws IOException {
    assertEquals(0, run(FIGURES, "calcite", "-Dscale=0.1", "-Drounds=1", "--json=" + json()));
    JsonObject written = JsonParser.parseString(Files.readString(json())).getAsJsonObject();
    assertEquals(
        JsonParser.parseString(
            """
            [{"head": ["join", "ns a row", "rows"], "rows": [["orders", 219.875, -6]]},
             {"head": ["way", "ratio"], "rows": [["hash", 1.0E-4], ["rest", "NaN"]]}]
            """),
        written.get("tables"));
    assertEquals(
        "benchmarks/run engines calcite -Dscale=0.1 -Drounds=1",
        written.get("command").getAsString());
    String words = Files.readString(folder.resolve("mvn.words"));
    assertTrue(
        words.matches(
            "-B verify -pl integration/sql -am -Dtest=JoinMeasurement"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dfigures=/\\S+ -Dscale=0.1"
                + " -Drounds=1\\n"),
        words);
    assertFalse(Files.exists(Path.of(words.replaceAll("(?s).*-Dfigures=(\\S+).*", "$1"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"exit 3", "exit 0", FIGURES + "exit 1"})
  void nothingIsWrittenIfMavenFailsOrThereAreNoFigures(String script) throws IOException {
    assertEquals(1, run(script, "kafka", "--json=" + json()));
    assertFalse(Files.exists(json()));
  }

  @Test
  void mavenThatIsMissingIsAFailure() {
    assertEquals(1, Program.execute(new Engines(List.of(maven().toString())), "flink"));
  }

  @Test
  void engineIsNeeded() throws IOException {
    assertEquals(2, run(FIGURES));
    assertEquals(2, run(FIGURES, "spark"));
    assertFalse(Files.exists(folder.resolve("mvn.words")));
  }

  @ParameterizedTest
  @EnumSource
  void classThatMeasuresIsInTheModule(Engine engine) {
    Path tests = Path.of("../integration", engine.module(), "src/test/java/dev/espalier");
    assertTrue(
        Files.exists(tests.resolve(engine.module()).resolve(engine.test() + ".java")),
        engine.toString());
  }

  @Test
  void rowWithoutACellIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> FigureTables.of("a\tb\n1\n"));
    assertEquals(
        List.of("| a | b | c |", "|---|---|---|", "| x | 1,000 | 0.500 |", "| y | 100 | 7 |"),
        FigureTables.of("a\tb\tc\nx\t1000\t0.5\ny\t100.0\t7\n").getFirst().lines());
  }
}
