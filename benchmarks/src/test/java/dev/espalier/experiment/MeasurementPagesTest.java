// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasurementPagesTest {
  /** As the command line was told where the pages of this repository are. */
  private static final Path PUBLISHED = Path.of("..", "docs", "measurements", "experiments");

  @TempDir private Path folder;

  private static Result result(boolean quick) {
    Result lines = Results.lines();
    lines.outcome().parameter("folder", "/somewhere");
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("CPU", "a processor");
    machine.put("prefetch", "on: /somewhere/libespalier.so");
    machine.put("commit", "0123456789abcdef");
    machine.put("date", "2026-01-02");
    machine.put("effort", quick ? "quick" : "full");
    return new Result(
        lines.description(),
        new Circumstances(
            machine, "a processor", "0123456789abcdef", LocalDate.of(2026, 1, 2), quick),
        lines.outcome(),
        lines.duration());
  }

  @Test
  void pageHasChecksRowsAndTheRun() throws IOException {
    new MeasurementPages(folder).write(List.of(result(true)));
    String page = Files.readString(folder.resolve("paper-fig1.md"));
    assertTrue(page.contains("\n# Title & more\n"), page);
    assertTrue(page.contains("**A quick run**"), page);
    assertTrue(page.contains("| height | deterministic | 3 | exactly 3 | passed |"), page);
    assertTrue(page.contains("| gain | timing | 0.5 | at least 1.1 | **missed** |"), page);
    assertTrue(page.contains("| a \"quoted\", &lt;tree> | 1 | 20.25 |"), page);
    assertTrue(page.contains("| commit | 0123456789abcdef |"), page);
    assertTrue(page.contains("![Title & more](paper-fig1.svg)"), page);
    assertTrue(Files.exists(folder.resolve("paper-fig1.svg")));
    assertFalse(MeasurementPages.page(result(false), false).contains("quick run"));
  }

  @Test
  void foldersOfTheMachineAreNotPublished() throws IOException {
    new MeasurementPages(folder).write(List.of(result(true)));
    for (String file : List.of("paper-fig1.md", "paper-fig1.json")) {
      String text = Files.readString(folder.resolve(file));
      assertFalse(text.contains("somewhere"), text);
    }
  }

  @Test
  void listTellsWhatWasMissed() throws IOException {
    new MeasurementPages(folder).write(List.of(result(true)));
    String list = Files.readString(folder.resolve(MeasurementPages.CONTENTS));
    String row =
        "| [paper-fig1](paper-fig1.md) | Title & more | 1 | **1 timing** | **quick** | 3 s |"
            + " 0123456789 |";
    assertTrue(list.contains(row), list);
    assertTrue(list.endsWith("\nTogether they took 3 s.\n"), list);
  }

  /** So nothing on them was written by hand, and no experiment has gone. */
  @Test
  void publishedPagesAreThoseOfTheirResults() throws IOException {
    StoredResults stored = new StoredResults(PUBLISHED);
    List<Result> results =
        Experiments.all().stream()
            .flatMap(experiment -> stored.of(experiment.description()).stream())
            .toList();
    assertFalse(results.isEmpty());
    new MeasurementPages(folder).write(results);
    assertEquals(names(folder), names(PUBLISHED));
    for (String name : names(folder)) {
      if (!name.endsWith(".svg")) { // Charts differ by the fonts that a machine has.
        assertEquals(
            Files.readString(folder.resolve(name)),
            Files.readString(PUBLISHED.resolve(name)),
            name);
      }
    }
  }

  private static List<String> names(Path of) throws IOException {
    try (var files = Files.list(of)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
