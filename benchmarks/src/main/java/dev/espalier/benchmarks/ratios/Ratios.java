// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.Machine;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.cli.AsciiDigits;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the table of targets in one run. Every structure has a JVM of its own; all of them are
 * up at once and measure in turn, A B A B, so that noise of the machine falls on all. Set-up and
 * rounds are repeated in new JVMs, because the JIT compiler does not always come to the same code.
 */
@Command(
    name = "ratios",
    mixinStandardHelpOptions = true,
    description = "Measures Espalier's targets against other sorted maps, on one thread.",
    sortOptions = false)
public final class Ratios implements Runnable {
  private static final int GIBIBYTE_SHIFT = 30;

  /** Part of the available memory that is taken at most; the rest is for the system. */
  private static final double MEMORY_SHARE = 0.9;

  @Option(
      names = "--entries",
      defaultValue = "10M",
      paramLabel = "N",
      description = "Entries, like 10000000, 10M or 4xLLC (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--tree",
      defaultValue = "PbPlusTree",
      paramLabel = "NAME",
      description = "Espalier's tree to measure (default: ${DEFAULT-VALUE}).")
  private String tree = "";

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "WORK",
      description = "Parts of the table: ${COMPLETION-CANDIDATES} (default: all).")
  private Set<Work> only = EnumSet.allOf(Work.class);

  @Option(
      names = "--forks",
      defaultValue = "3",
      paramLabel = "N",
      description = "How often new JVMs are started (default: ${DEFAULT-VALUE}).")
  private int forks;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds per JVM, after one for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--put-rounds",
      defaultValue = "2",
      paramLabel = "N",
      description =
          "Rounds of puts per JVM; each fills a new structure (default: ${DEFAULT-VALUE}).")
  private int putRounds;

  @Option(
      names = "--memory",
      defaultValue = "20",
      paramLabel = "GIB",
      description =
          "Memory for all JVMs together; maps that do not fit are left out (default:"
              + " ${DEFAULT-VALUE}, or what is available).")
  private int memory;

  @Option(
      names = "-J",
      paramLabel = "FLAG",
      description = "A flag for every JVM that measures, like -J-XX:+UseParallelGC.")
  private List<String> jvmFlags = new ArrayList<>();

  @Mixin private final Publication publication = new Publication();

  private final Figures figures = new Figures();

  /** Measures; the exit status is not 0 if that failed, whatever the targets. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(commandLine(new Ratios()), args));
  }

  /** Returns a command whose failures are explained in one line. */
  public static CommandLine commandLine(Runnable command) {
    CommandLine line = new CommandLine(command);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(
        (e, failed, result) -> {
          failed.getErr().println(e.getMessage());
          return 1;
        });
    return line;
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    long count = DataSize.entries(entries);
    Plan plan = new Plan(Peers.named(tree), only, count, memoryBytes());
    System.out.println("entries:     " + count);
    for (Role role : plan.leftOut()) {
      System.out.println(
          "left out:    "
              + role.name()
              + ", for which no memory is left: it would take "
              + (role.memoryBytes(count) >> 20)
              + " MiB");
    }
    for (int fork = 1; fork <= forks; fork++) {
      measure(fork, plan, count);
    }
    RatioTable table = new RatioTable(plan, figures);
    System.out.println();
    publication.print(Target.table(table.targets()));
    System.out.println();
    publication.print(figures.medians());
    publication.write();
  }

  private long memoryBytes() {
    long allowed = (long) memory << GIBIBYTE_SHIFT;
    return Math.min(
        allowed, (long) (MEMORY_SHARE * Machine.availableMemoryBytes().orElse(allowed)));
  }

  private void measure(int fork, Plan plan, long count) {
    List<WorkerProcess> workers = new ArrayList<>();
    try {
      // One after the other: a JVM that shares the processor while it warms up compiles other code.
      for (Role role : plan.roles()) {
        workers.add(new WorkerProcess(role, count, jvmFlags));
      }
      fill(fork, plan, workers);
      for (int round = 0; round <= rounds; round++) {
        for (Measure measure : Measure.values()) {
          for (WorkerProcess worker : workers) {
            if (plan.measures(worker.role()).contains(measure)) {
              double figure = worker.measure(measure);
              if (round > 0) {
                add(fork, round, worker, measure, figure);
              }
            }
          }
        }
      }
    } finally {
      workers.forEach(WorkerProcess::close);
    }
  }

  private void fill(int fork, Plan plan, List<WorkerProcess> workers) {
    for (int round = 1; round <= putRounds; round++) {
      for (WorkerProcess worker : workers) {
        if (plan.comparesPuts(worker.role())) {
          add(fork, round, worker, Measure.PUT, worker.measure(Measure.PUT));
        } else if (round == 1) {
          worker.measure(Measure.PUT);
        }
      }
    }
    WorkerProcess tree = workers.getFirst();
    if (plan.isChosen(Work.SCAN, Work.BYTES)) {
      add(fork, 1, tree, Measure.BULKLOAD, tree.measure(Measure.BULKLOAD));
    }
    if (plan.isChosen(Work.BYTES)) {
      add(fork, 1, tree, Measure.BYTES_FULL, tree.measure(Measure.BYTES_FULL));
      add(fork, 1, tree, Measure.BYTES_AFTER_PUT, tree.measure(Measure.BYTES_AFTER_PUT));
    }
  }

  private void add(int fork, int round, WorkerProcess worker, Measure measure, double figure) {
    figures.add(worker.role().name(), measure, figure);
    System.out.printf(
        Locale.ROOT,
        "fork %d, round %d: %s %s %.2f %s%n",
        fork,
        round,
        worker.role().name(),
        measure,
        figure,
        measure.unit());
  }
}
