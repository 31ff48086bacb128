// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Espalier;
import dev.espalier.cli.Json;
import dev.espalier.cli.ProgressBar;
import dev.espalier.cli.TextTable;
import dev.espalier.cli.Version;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs tables and figures of the papers again: a command of {@link Espalier}, added to it here. */
@Command(
    name = "experiment",
    description = {
      "Runs a table or figure of a paper again, and checks what the paper says.",
      "",
      "Writes the rows as CSV, the chart as PNG and SVG, and all of it with the checks, the"
          + " parameters and the machine as JSON: NAME.csv, NAME.png, NAME.svg, NAME.json. With"
          + " --all also report.html, where the paper's figure is described beside the one made"
          + " here.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "How it measures: one thread; what is compared runs in turn, warmed up, and medians of the"
          + " rounds count. Orders and keys are shuffled with fixed seeds.",
      "",
      "Checks: a deterministic one (counted, computed or simulated) gives the same value in every"
          + " run and on every machine. A timing one depends on the machine and on what else runs"
          + " there, above all with --quick: it is reported, and only with --strict a failure.",
      "",
      "--pages writes the pages of docs/measurements/experiments, from results of whatever runs.",
      "",
      "The last line counts the checks that passed and that missed.",
      "",
      "Exit status: 0 if every deterministic check passed, and with --strict every timing check;"
          + " 1 if not, or if an experiment could not be run or written; 2 for wrong arguments."
    })
public final class ExperimentCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  private final List<Experiment> experiments;
  private final Function<Boolean, Circumstances> circumstancesOf;

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "The experiment to run; --list shows the names.")
  private @Nullable String name;

  @Option(names = "--all", description = "Run all experiments, and write report.html.")
  private boolean all;

  @Option(names = "--list", description = "List the experiments, and run none.")
  private boolean list;

  @Option(
      names = "--resume",
      description =
          "With --all: do not run again what has a result of this commit, this processor and this"
              + " effort in the folder; a commit with local changes has none.")
  private boolean resume;

  @Option(
      names = "--pages",
      paramLabel = "FOLDER",
      description =
          "Run none, and write pages in Markdown to FOLDER, of the results that are in --out.")
  private @Nullable Path pages;

  @Option(
      names = "--quick",
      description = "Take small trees and few rounds: seconds instead of minutes.")
  private boolean quick;

  @Option(names = "--strict", description = "Fail if a timing check misses its target, too.")
  private boolean strict;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "experiments",
      description = "The folder to write to; made if it is not there. Default: experiments.")
  private Path out = Path.of("experiments");

  ExperimentCommand() {
    this(Experiments.all());
  }

  /** Makes the command for certain experiments, so that a test may bring its own. */
  ExperimentCommand(List<Experiment> experiments) {
    this(experiments, Circumstances::now);
  }

  /** Makes the command for experiments that run where and when a test says. */
  ExperimentCommand(
      List<Experiment> experiments, Function<Boolean, Circumstances> circumstancesOf) {
    this.experiments = experiments;
    this.circumstancesOf = circumstancesOf;
  }

  /** Runs the command line with this command among the others. */
  public static void main(String[] args) {
    Espalier.mainWith(List.of(new ExperimentCommand()), args);
  }

  @Override
  public Integer call() {
    List<Experiment> chosen = checkArguments();
    if (list) {
      printList();
      return ExitCode.OK;
    }
    if (pages != null) {
      return writePages(pages);
    }
    makeFolder();
    Circumstances circumstances = circumstancesOf.apply(quick);
    Estimate estimate =
        new Estimate(
            chosen.stream().map(experiment -> experiment.description().name()).toList(), quick);
    List<Result> results = new ArrayList<>();
    boolean failed = false;
    for (int i = 0; i < chosen.size(); i++) {
      try {
        Optional<Result> earlier = earlier(chosen.get(i).description(), circumstances);
        Result result;
        if (earlier.isPresent()) {
          result = earlier.get();
        } else {
          result = run(chosen.get(i), circumstances, estimate, i);
          writeFiles(result);
          print(result);
        }
        results.add(result);
        failed |= result.outcome().hasFailed();
      } catch (ExperimentException | MemoryLimitException | OutOfMemoryError e) {
        // The others may still be run.
        explain(chosen.get(i), e);
        failed = true;
      }
    }
    if (all) {
      write("report.html", HtmlReport.of(results).getBytes(StandardCharsets.UTF_8));
      write("durations.properties", durations(results).getBytes(StandardCharsets.UTF_8));
      print("Report: %s%n".formatted(out.resolve("report.html")));
    }
    Totals totals = Totals.of(results);
    int notRun = chosen.size() - results.size();
    print("%s%s%n".formatted(totals, notRun == 0 ? "" : " " + notRun + " could not be run."));
    failed |= strict && totals.missed() > 0;
    return failed ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private Optional<Result> earlier(Description description, Circumstances circumstances) {
    return resume
        ? new StoredResults(out)
            .of(description)
            .filter(result -> result.circumstances().isSameRun(circumstances))
        : Optional.empty();
  }

  private int writePages(Path folder) {
    StoredResults stored = new StoredResults(out);
    List<Result> results =
        experiments.stream()
            .flatMap(experiment -> stored.of(experiment.description()).stream())
            .toList();
    if (results.isEmpty()) {
      throw new CommandFailure("no results in " + out);
    }
    new MeasurementPages(folder).write(results);
    print("Pages of %d experiments: %s%n".formatted(results.size(), folder));
    return ExitCode.OK;
  }

  private List<Experiment> checkArguments() {
    int choices = (name == null ? 0 : 1) + (all ? 1 : 0) + (list ? 1 : 0) + (pages == null ? 0 : 1);
    if (choices != 1) {
      throw wrongArgument("one of NAME, --all, --list and --pages is needed; names are " + names());
    }
    if (resume && !all) {
      throw wrongArgument("--resume goes with --all");
    }
    return name == null ? experiments : List.of(named(name));
  }

  private Experiment named(String wanted) {
    for (Experiment experiment : experiments) {
      if (experiment.description().name().equalsIgnoreCase(wanted)) {
        return experiment;
      }
    }
    throw wrongArgument("no experiment is named '" + wanted + "'; there are " + names());
  }

  private List<String> names() {
    return experiments.stream().map(experiment -> experiment.description().name()).toList();
  }

  private void printList() {
    Durations durations = new Durations();
    TextTable table = new TextTable("name", ">--quick", ">full", "title", "source");
    for (Experiment experiment : experiments) {
      Description description = experiment.description();
      table.add(
          description.name(),
          durations.of(description.name(), true),
          durations.of(description.name(), false),
          description.title(),
          description.source());
    }
    print(
        "%s%nTimes were taken on a virtual machine with two cores; without one, a full run takes minutes.%n"
            .formatted(table));
  }

  /** Makes the folder before the work whose outcome it is to hold. */
  private void makeFolder() {
    try {
      Files.createDirectories(out);
    } catch (IOException e) {
      throw new CommandFailure("can't make the folder " + out + ": " + e, e);
    }
    Json.checkWritable(out.resolve("report.html"));
  }

  private Result run(
      Experiment experiment, Circumstances circumstances, Estimate estimate, int part) {
    Description description = experiment.description();
    try (ProgressBar bar = ProgressBar.open()) {
      Progress progress =
          (task, fraction) ->
              bar.show(
                  description.name() + ": " + task + estimate.left(part, fraction),
                  estimate.done(part, fraction));
      long start = System.nanoTime();
      Outcome outcome = experiment.run(new Run(quick ? Effort.QUICK : Effort.FULL, progress));
      Duration duration = Duration.ofNanos(System.nanoTime() - start);
      return new Result(description, circumstances, outcome, duration);
    }
  }

  /** Writes what can't fail first: the chart needs fonts, which small systems may lack. */
  private void writeFiles(Result result) {
    String stem = result.description().name();
    write(stem + ".csv", Csv.of(result.outcome().table()).getBytes(StandardCharsets.UTF_8));
    Json.writeTo(out.resolve(stem + ".json"), result.toJson());
    Drawing drawing = new Drawing(result);
    write(stem + ".svg", drawing.svg());
    write(stem + ".png", drawing.png());
  }

  private static String durations(List<Result> results) {
    return results.stream().map(Durations::line).collect(Collectors.joining());
  }

  private void write(String file, byte[] contents) {
    try {
      Files.write(out.resolve(file), contents);
    } catch (IOException e) {
      throw new CommandFailure("can't write " + out.resolve(file) + ": " + e, e);
    }
  }

  private void print(Result result) {
    Description description = result.description();
    TextTable table = new TextTable("check", "kind", ">value", "target", "pass");
    for (Check check : result.outcome().checks()) {
      table.add(
          check.name(),
          check.kind().name().toLowerCase(Locale.ROOT),
          String.format(Locale.ROOT, "%.3f", check.value()),
          check.target().toString(),
          check.passes() ? "yes" : "NO");
    }
    print(
        "%s: %s%n%n%s%nWritten: %s with .csv, .json, .png and .svg%n%n"
            .formatted(
                description.name(), description.title(), table, out.resolve(description.name())));
  }

  private void print(String text) {
    PrintWriter writer = spec.commandLine().getOut();
    writer.print(text);
    writer.flush();
  }

  private void explain(Experiment experiment, Throwable failure) {
    spec.commandLine()
        .getErr()
        .printf(
            "%s: %s: %s%n",
            spec.qualifiedName(), experiment.description().name(), failure.getMessage());
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
