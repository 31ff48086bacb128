// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.WorkerJvm;
import dev.espalier.benchmarks.patterns.PatternWorker.Figure;
import dev.espalier.benchmarks.ratios.Ratios;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.patterns.Pattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures every structure with the patterns of access that people have. Every structure has a JVM
 * of its own; for each pattern, all of a form measure in turn, round by round.
 */
@Command(
    name = "patterns",
    mixinStandardHelpOptions = true,
    description = "Queues, streams, windows, ranges and other patterns, on every structure.",
    sortOptions = false)
public final class Patterns implements Runnable {
  private static final int QUICK_SIZE = 50_000;
  private static final int SIZE = 400_000;
  private static final String HEAP = "-Xmx512m";

  @Option(
      names = "--entries",
      paramLabel = "N",
      description = "Entries and operations of a pattern (default: 400k, quick: 50k).")
  private @Nullable String entries;

  @Option(
      names = "--forms",
      split = ",",
      description = "Which entries, and where: ${COMPLETION-CANDIDATES} (default: all).")
  private Set<Form> forms = EnumSet.allOf(Form.class);

  @Option(
      names = "--patterns",
      split = ",",
      description = "What is done: ${COMPLETION-CANDIDATES} (default: all).")
  private Set<Pattern> patterns = EnumSet.allOf(Pattern.class);

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Structures that are measured beside TreeMap (default: all).")
  private Set<String> only = Set.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of which the median counts (default: 5, quick: 3).")
  private @Nullable Integer rounds;

  @Option(
      names = "--millis",
      paramLabel = "N",
      description =
          "No further step is begun after so long; slow structures do fewer operations, which the"
              + " last table tells (default: 1000, quick: 50).")
  private @Nullable Integer millis;

  @Option(names = "--quick", description = "Few entries, little time for each.")
  private boolean quick;

  @Option(
      names = "--counts",
      description = "Measure no time: count the lines that each tree touches for an operation.")
  private boolean isCounting;

  @Mixin private final Publication publication = new Publication();

  /** Measures; the exit status is not 0 if that failed. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new Patterns()), args));
  }

  @Override
  public void run() {
    if (isCounting) {
      print("lines an operation", CountedLines.count());
    } else {
      Header.lines().forEach(System.out::println);
      NativeRequirement.check();
      PrintedTable details =
          PrintedTable.inMarkdown(
              "| %s | %s | %s | %,.1f | %.2f | %,d |",
              "form",
              "pattern",
              "structure",
              "ns an operation",
              "times " + Form.BASIS,
              "operations");
      for (Form form : forms) {
        measure(form, details);
      }
      System.out.println();
      publication.print(details);
    }
    publication.write();
  }

  private void print(String corner, Map<String, Map<Pattern, Double>> rows) {
    for (PrintedTable table : PatternTable.of(corner, rows, patterns)) {
      System.out.println();
      publication.print(table);
    }
  }

  private void measure(Form form, PrintedTable details) {
    Map<String, WorkerJvm> workers = new LinkedHashMap<>();
    Map<String, Map<Pattern, Double>> ratios = new LinkedHashMap<>();
    try {
      for (String name : names(form)) {
        workers.put(name, start(form, name));
      }
      for (Pattern pattern : patterns) {
        Map<String, List<Figure>> figures = measure(form, pattern, workers);
        figures.forEach(
            (name, all) -> {
              double nanos = median(all.stream().mapToDouble(Figure::nanos).toArray());
              double ratio = ratio(all, Objects.requireNonNull(figures.get(Form.BASIS)));
              int done = all.stream().mapToInt(Figure::operations).min().orElse(0);
              details.add(form.name(), pattern.toString(), name, nanos, ratio, done);
              boolean isBasis = name.equals(Form.BASIS);
              ratios
                  .computeIfAbsent(
                      isBasis ? name + ", ns" : name, _ -> new EnumMap<>(Pattern.class))
                  .put(pattern, isBasis ? nanos : ratio);
            });
      }
    } finally {
      workers.values().forEach(WorkerJvm::close);
    }
    print(form.name().toLowerCase(Locale.ROOT) + ", times " + Form.BASIS, ratios);
  }

  private Set<String> names(Form form) {
    return form.structures().keySet().stream()
        .filter(name -> only.isEmpty() || name.equals(Form.BASIS) || only.contains(name))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private WorkerJvm start(Form form, String name) {
    List<String> flags = new ArrayList<>(WorkerJvm.FAST);
    flags.addAll(WorkerJvm.BESIDE_OTHERS);
    flags.add(HEAP);
    long size = entries != null ? DataSize.entries(entries) : quick ? QUICK_SIZE : SIZE;
    int most = millis != null ? millis : quick ? 50 : 1000;
    return new WorkerJvm(
        name,
        flags,
        PatternWorker.class,
        List.of(form.name(), name, Long.toString(size), Integer.toString(most)),
        PatternWorker.READY);
  }

  /** Returns the figures of all rounds, by structure. */
  private Map<String, List<Figure>> measure(
      Form form, Pattern pattern, Map<String, WorkerJvm> workers) {
    Map<String, List<Figure>> figures = new LinkedHashMap<>();
    int count = rounds != null ? rounds : quick ? 3 : 5;
    for (int round = 1; round <= count; round++) {
      for (Map.Entry<String, WorkerJvm> worker : workers.entrySet()) {
        Figure figure = Figure.parse(worker.getValue().ask(pattern.name() + " " + round));
        figures.computeIfAbsent(worker.getKey(), _ -> new ArrayList<>()).add(figure);
        System.out.printf(
            Locale.ROOT,
            "%s, %s, round %d: %s %.1f ns (%,d operations)%n",
            form,
            pattern,
            round,
            worker.getKey(),
            figure.nanos(),
            figure.operations());
      }
    }
    return figures;
  }

  /** Returns the median of the ratios of rounds. */
  private static double ratio(List<Figure> dividends, List<Figure> divisors) {
    double[] ratios = new double[dividends.size()];
    for (int round = 0; round < ratios.length; round++) {
      ratios[round] = dividends.get(round).nanos() / divisors.get(round).nanos();
    }
    return median(ratios);
  }

  private static double median(double[] numbers) {
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
