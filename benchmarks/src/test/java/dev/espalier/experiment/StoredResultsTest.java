// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoredResultsTest {
  @TempDir private Path folder;

  private static Result result() {
    Result lines = Results.lines();
    Map<String, String> machine =
        Map.of("CPU", "a processor", "commit", "0123", "date", "2026-01-02", "effort", "quick");
    return new Result(
        lines.description(),
        new Circumstances(machine, "a processor", "0123", LocalDate.of(2026, 1, 2), true),
        lines.outcome(),
        lines.duration());
  }

  @Test
  void resultsAreReadAsTheyWereWritten() {
    Result written = result();
    Json.writeTo(folder.resolve("paper-fig1.json"), written.toJson());
    Result read = new StoredResults(folder).of(written.description()).orElseThrow();
    assertEquals(written.toJson().toString(), read.toJson().toString());
    assertEquals(written.outcome().table().columns(), read.outcome().table().columns());
    assertEquals(written.outcome().table().rows(), read.outcome().table().rows());
    assertEquals(written.outcome().checks(), read.outcome().checks());
    assertEquals(written.circumstances(), read.circumstances());
  }

  @Test
  void thereIsNoResultWithoutAFile() {
    assertEquals(Optional.empty(), new StoredResults(folder).of(result().description()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{}", "{\"title\": 1"})
  void whatIsNoResultIsNamed(String text) throws IOException {
    Path file = folder.resolve("paper-fig1.json");
    Files.writeString(file, text);
    CommandFailure failure =
        assertThrows(
            CommandFailure.class, () -> new StoredResults(folder).of(result().description()));
    assertEquals(0, failure.getMessage().indexOf("can't read " + file));
  }

  @Test
  void targetsAreReadFromTheirWords() {
    for (Target target :
        List.of(
            Target.exactly(3),
            Target.atLeast(1.25),
            Target.atMost(-0.5),
            Target.between(1, 1.02))) {
      assertEquals(target, Target.parse(target.toString()));
    }
    assertThrows(IllegalArgumentException.class, () -> Target.parse("about 3"));
  }
}
