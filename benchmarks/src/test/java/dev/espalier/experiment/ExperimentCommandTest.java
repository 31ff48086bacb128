// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class ExperimentCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                            | espalier: a command is needed: join, load, get, scan, dump, inspect, verify, recover, salvage, backup, crash-test, soak, variants, doctor, tune, experiment (
          experiment                    | espalier experiment: one of NAME, --all, --list and --pages is needed; names are [thesis-fig
          experiment thesis-fig5.9 --all | espalier experiment: one of NAME, --all, --list and --pages is needed
          experiment thesis-fig5.9 --resume | espalier experiment: --resume goes with --all (see
          experiment thesis-fig0        | espalier experiment: no experiment is named 'thesis-fig0'; there are [thesis-fig
          """)
  void wrongArgumentIsExplainedInOneLine(String arguments, String explanation) {
    CommandRun run = CommandRun.of(arguments.isEmpty() ? new String[0] : arguments.split(" "));
    assertEquals(2, run.status());
    assertTrue(run.err().startsWith(explanation), run.err());
    assertTrue(run.err().endsWith("--help)" + System.lineSeparator()), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals("", run.out());
  }

  @Test
  void helpGoesToStandardOutput() {
    CommandRun run = CommandRun.of("experiment", "--help");
    assertEquals(0, run.status());
    assertTrue(run.out().startsWith("Usage: espalier experiment "), run.out());
    assertEquals("", run.err());
  }

  @Test
  void listHasALinePerExperiment() {
    CommandRun run = CommandRun.of("experiment", "--list");
    assertEquals(0, run.status(), run.err());
    assertEquals(
        Experiments.all().stream().map(experiment -> experiment.description().name()).toList(),
        run.out()
            .lines()
            .skip(2)
            .takeWhile(line -> !line.isEmpty())
            .map(line -> line.substring(0, line.indexOf(' ')))
            .toList());
  }

  @Test
  @Tag("thorough")
  void experimentWritesItsFilesAndPrintsItsChecks(@TempDir Path folder) throws IOException {
    assumeTrue(Prefetch.isNative(), "the experiment needs native code");
    Path out = folder.resolve("new").resolve("folder");
    CommandRun run =
        CommandRun.of("experiment", "thesis-fig5.9", "--quick", "--out", out.toString());
    assertEquals(0, run.status(), run.err());
    assertEquals("", run.err());
    assertTrue(run.out().contains("wrong answers "), run.out());

    assertEquals(
        List.of(
            "thesis-fig5.9.csv", "thesis-fig5.9.json", "thesis-fig5.9.png", "thesis-fig5.9.svg"),
        names(out));
    JsonObject json =
        JsonParser.parseString(Files.readString(out.resolve("thesis-fig5.9.json")))
            .getAsJsonObject();
    assertEquals(
        Set.of(
            "experiment",
            "title",
            "source",
            "paper",
            "here",
            "parameters",
            "machine",
            "seconds",
            "columns",
            "rows",
            "checks"),
        json.keySet());
    int rows = json.getAsJsonArray("rows").size();
    assertEquals(
        Set.of("search", "width", "nanos"),
        json.getAsJsonArray("rows").get(0).getAsJsonObject().keySet());
    assertEquals(1 + rows, Files.readAllLines(out.resolve("thesis-fig5.9.csv")).size());
    JsonObject check = json.getAsJsonArray("checks").get(0).getAsJsonObject();
    assertEquals(Set.of("name", "kind", "value", "target", "pass"), check.keySet());
    assertEquals("exactly 0", check.get("target").getAsString());
    assertTrue(check.get("pass").getAsBoolean());
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void allGoesOnAfterAFailureAndWritesTheReport(@TempDir Path folder) throws IOException {
    Experiment broken =
        new Scripted(
            "paper-fig1",
            run -> {
              throw new ExperimentException("no such machine");
            });
    Experiment good =
        new Scripted("paper-fig2", run -> outcome(Check.deterministic("c", 1, Target.exactly(1))));
    CommandRun run = runAll(folder, broken, good);
    assertEquals(1, run.status());
    assertEquals("experiment: paper-fig1: no such machine" + System.lineSeparator(), run.err());
    assertEquals(
        List.of(
            "durations.properties",
            "paper-fig2.csv",
            "paper-fig2.json",
            "paper-fig2.png",
            "paper-fig2.svg",
            "report.html"),
        names(folder));
    assertTrue(
        run.out()
            .contains(
                "1 experiment in 1 s: 1 checks passed, 0 timing checks missed, 0 deterministic"
                    + " checks missed. 1 could not be run."),
        run.out());
    assertEquals(
        List.of("paper-fig2.full=1"), Files.readAllLines(folder.resolve("durations.properties")));
    String report = Files.readString(folder.resolve("report.html"));
    assertTrue(report.contains("<section id=\"paper-fig2\">"), report);
    assertFalse(report.contains("paper-fig1"), report);
  }

  @Test
  void missedTimingIsReportedButNoFailure(@TempDir Path folder) {
    Check missed = Check.timing("gain", 0.5, Target.atLeast(1));
    CommandRun run = runAll(folder, new Scripted("paper-fig1", r -> outcome(missed)));
    assertEquals(0, run.status());
    assertTrue(run.out().contains("gain   timing  0.500  at least 1  NO"), run.out());
    assertTrue(
        run.out().lines().toList().getLast().contains("0 checks passed, 1 timing checks missed"),
        run.out());
  }

  @Test
  void strictMakesAMissedTimingAFailure(@TempDir Path folder) {
    Check missed = Check.timing("gain", 0.5, Target.atLeast(1));
    Check reached = Check.timing("gain", 1.5, Target.atLeast(1));
    String out = folder.toString();
    assertEquals(1, strict(missed, "--all", "--strict", "--out", out));
    assertEquals(1, strict(missed, "paper-fig1", "--strict", "--out", out));
    assertEquals(0, strict(missed, "paper-fig1", "--out", out));
    assertEquals(0, strict(reached, "--all", "--strict", "--out", out));
  }

  private static int strict(Check check, String... arguments) {
    return execute(List.of(new Scripted("paper-fig1", _ -> outcome(check))), arguments).status();
  }

  @Test
  void missedDeterministicCheckIsAFailure(@TempDir Path folder) {
    Check missed = Check.deterministic("count", 0.5, Target.atLeast(1));
    CommandRun run = runAll(folder, new Scripted("paper-fig1", r -> outcome(missed)));
    assertEquals(1, run.status());
    assertEquals("", run.err());
  }

  @Test
  void quickTakesSmallerTrees(@TempDir Path folder) {
    List<Effort> efforts = new ArrayList<>();
    Experiment noting =
        new Scripted(
            "paper-fig1",
            run -> {
              efforts.add(run.effort());
              return outcome(Check.timing("t", 1, Target.atLeast(1)));
            });
    runAll(folder, noting);
    execute(List.of(noting), "--all", "--quick", "--out", folder.toString());
    assertEquals(List.of(Effort.FULL, Effort.QUICK), efforts);
  }

  @Test
  void resumedRunTakesWhatTheSameCommitHasWritten(@TempDir Path folder) throws IOException {
    List<String> ran = new ArrayList<>();
    Experiment first = noting("paper-fig1", ran);
    Experiment second = noting("paper-fig2", ran);
    String out = folder.toString();
    at("aa", List.of(first), "--all", "--out", out);
    CommandRun resumed = at("aa", List.of(first, second), "--all", "--resume", "--out", out);
    assertEquals(List.of("paper-fig1", "paper-fig2"), ran);
    assertEquals(0, resumed.status(), resumed.err());
    assertTrue(resumed.out().contains("2 experiments in "), resumed.out());
    String report = Files.readString(folder.resolve("report.html"));
    assertTrue(report.contains("<section id=\"paper-fig1\">"), report);
    at("aa", List.of(first), "--all", "--out", out);
    at("aa", List.of(first), "--all", "--quick", "--resume", "--out", out);
    at("bb", List.of(first), "--all", "--resume", "--out", out);
    at("bb with local changes", List.of(first), "--all", "--resume", "--out", out);
    at("bb with local changes", List.of(first), "--all", "--resume", "--out", out);
    assertEquals(7, ran.size(), ran.toString());
  }

  @Test
  void pagesAreWrittenOfWhatThereIs(@TempDir Path folder) throws IOException {
    Experiment first = noting("paper-fig1", new ArrayList<>());
    Experiment second = noting("paper-fig2", new ArrayList<>());
    Path pages = folder.resolve("pages");
    String out = folder.toString();
    List<Experiment> both = List.of(first, second);
    CommandRun nothing = execute(both, "--pages", pages.toString(), "--out", out);
    assertEquals(1, nothing.status());
    at("aa", List.of(second), "--all", "--out", out);
    CommandRun written = execute(both, "--pages", pages.toString(), "--out", out);
    assertEquals(0, written.status(), written.err());
    assertEquals(
        List.of("README.md", "paper-fig2.json", "paper-fig2.md", "paper-fig2.svg"), names(pages));
  }

  private static Experiment noting(String name, List<String> ran) {
    return new Scripted(
        name,
        _ -> {
          ran.add(name);
          return outcome(Check.timing("t", 1, Target.atLeast(1)));
        });
  }

  private static CommandRun at(String commit, List<Experiment> experiments, String... arguments) {
    return execute(
        new ExperimentCommand(
            experiments,
            quick ->
                new Circumstances(
                    Map.of(
                        "CPU",
                        "a processor",
                        "commit",
                        commit,
                        "date",
                        "2026-01-02",
                        "effort",
                        quick ? "quick" : "full"),
                    "a processor",
                    commit,
                    LocalDate.of(2026, 1, 2),
                    quick)),
        arguments);
  }

  private static CommandRun runAll(Path folder, Experiment... experiments) {
    return execute(List.of(experiments), "--all", "--out", folder.toString());
  }

  private static CommandRun execute(List<Experiment> experiments, String... arguments) {
    return execute(new ExperimentCommand(experiments), arguments);
  }

  private static CommandRun execute(ExperimentCommand command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new CommandRun(status, out.toString(), err.toString());
  }

  private static Outcome outcome(Check check) {
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.integer("width", "width", "lines"),
            Column.real("nanos", "time", "ns"));
    outcome.row("PbPlusTree", 8, 1.5);
    outcome.check(check);
    return outcome;
  }

  /** An experiment whose outcome is known. */
  private record Scripted(String name, Function<Run, Outcome> body) implements Experiment {
    @Override
    public Description description() {
      Chart chart = new Chart(Chart.Kind.LINES, "tree", "width", "nanos");
      return new Description(name, "title", "paper, figure", "It shows.", "We run.", chart);
    }

    @Override
    public Outcome run(Run run) {
      return body.apply(run);
    }
  }

  @Test
  void fileInPlaceOfTheFolderIsExplainedBeforeAnyWork(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    CommandRun run = CommandRun.of("experiment", "--all", "--out", file.toString());
    assertEquals(1, run.status());
    assertEquals("", run.out());
    assertTrue(
        run.err().startsWith("espalier experiment: can't make the folder " + file), run.err());
  }
}
