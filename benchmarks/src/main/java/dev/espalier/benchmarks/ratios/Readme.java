// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.Machine;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.WorkerJvm;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.cli.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the figures that the documentation shows, and writes them where a test looks for them:
 * those of the README with their chart, or those of the page that helps to choose a tree. As in
 * {@link Ratios}, every structure has a JVM of its own and all of them measure in turn.
 */
@Command(
    name = "readme",
    mixinStandardHelpOptions = true,
    description = "Measures the figures of the README, or of docs/which-tree.md.",
    sortOptions = false)
public final class Readme implements Runnable {
  /** What the README compares; the first stands for what is usual without Espalier. */
  private static final List<String> FRONT_PAGE =
      List.of(
          "TreeMap",
          "Long2LongRBTreeMap",
          "LMDB",
          Peers.HASH_MAP.name(),
          "PbPlusTree",
          "CssTree",
          "Cola");

  /** What the page "Which tree?" compares, in the order of the catalogue. */
  private static final List<String> FAMILY =
      List.of(
          "TreeMap",
          "BPlusTree",
          "PbPlusTree",
          "TTree",
          "CssTree",
          "CsbPlusTree",
          "DiskFirstFpbPlusTree",
          "Cola",
          "PackedMemoryArray",
          "CacheObliviousBTree",
          "BEpsilonTree");

  /** Trees that are not filled by random puts: the CSS-tree is made for data that stays. */
  private static final Set<String> BULKLOADED = Set.of("CssTree");

  /** Trees whose writes are cheap if they do not look at what was there. */
  private static final Set<String> WRITTEN_BLINDLY = Set.of("Cola", "BEpsilonTree");

  private static final List<Measure> IN_ROUNDS =
      List.of(Measure.GET, Measure.GET_ALL, Measure.RANGE, Measure.SCAN_AFTER_PUT);

  @Option(
      names = "--entries",
      defaultValue = "10M",
      paramLabel = "N",
      description = "Entries, like 1M or 10M; part of the file's name (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--family",
      description = "Measure the trees against one another, for docs/which-tree.md.")
  private boolean family;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description =
          "Rounds of lookups and scans, after one for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--insert-rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "Rounds of inserts; each fills an empty structure (default: ${DEFAULT-VALUE}).")
  private int insertRounds;

  @Option(
      names = "--docs",
      defaultValue = "docs",
      paramLabel = "DIR",
      description = "The folder whose measurements and images are written (default: docs).")
  private Path docs = Path.of("docs");

  private final Figures figures = new Figures();

  /** Measures; the exit status is not 0 if that failed. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new Readme()), args));
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    long count = DataSize.entries(entries);
    List<String> structures = present(family ? FAMILY : FRONT_PAGE);
    String loadBefore = Machine.loadAverage();
    List<WorkerProcess> workers = new ArrayList<>();
    try {
      for (String structure : structures) {
        workers.add(
            new WorkerProcess(Role.usual(Peers.named(structure)), count, WorkerJvm.BESIDE_OTHERS));
      }
      for (int round = 1; round <= insertRounds; round++) {
        for (WorkerProcess worker : workers) {
          insert(worker, round);
        }
      }
      for (int round = 0; round <= rounds; round++) {
        for (Measure measure : IN_ROUNDS) {
          for (WorkerProcess worker : workers) {
            measure(worker, measure, round);
          }
        }
      }
      workers.forEach(worker -> add(worker, Measure.BYTES_AFTER_PUT, Measure.BYTES_AFTER_PUT, 1));
    } finally {
      workers.forEach(WorkerProcess::close);
    }
    write(structures, count, loadBefore);
  }

  /** Returns the structures that are on the class path: LMDB is in the compare profile only. */
  private static List<String> present(List<String> wanted) {
    List<String> all = new ArrayList<>(Peers.names());
    all.add(Peers.HASH_MAP.name());
    wanted.stream()
        .filter(name -> !all.contains(name))
        .forEach(name -> System.out.println("left out:    " + name + ", not on the class path"));
    return wanted.stream().filter(all::contains).toList();
  }

  private void insert(WorkerProcess worker, int round) {
    String structure = worker.role().name();
    if (!BULKLOADED.contains(structure)) {
      // A blind write is a put to whoever reads the figures.
      Measure write = WRITTEN_BLINDLY.contains(structure) ? Measure.SET : Measure.PUT;
      add(worker, write, Measure.PUT, round);
    } else if (round == 1) {
      worker.measure(Measure.LOAD);
    }
  }

  private void measure(WorkerProcess worker, Measure measure, int round) {
    boolean scan = measure == Measure.RANGE || measure == Measure.SCAN_AFTER_PUT;
    if (scan && worker.role().type().equals(Peers.HASH_MAP)) {
      return;
    }
    if (round == 0) {
      worker.measure(measure);
    } else {
      add(worker, measure, measure, round);
    }
  }

  private void add(WorkerProcess worker, Measure measure, Measure as, int round) {
    double figure = worker.measure(measure);
    figures.add(worker.role().name(), as, figure);
    System.out.printf(
        Locale.ROOT,
        "round %d: %s %s %.2f %s%n",
        round,
        worker.role().name(),
        measure,
        figure,
        measure.unit());
  }

  private void write(List<String> structures, long count, String loadBefore) {
    DocumentedFigures documented = new DocumentedFigures(figures, structures);
    Map<String, Object> file = new LinkedHashMap<>();
    file.put(
        "command", "benchmarks/run readme " + (family ? "--family " : "") + "--entries " + entries);
    file.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    file.put("entries", count);
    file.put("keys", "random, distinct; 8 bytes, values of 8 bytes");
    file.put("machine", Header.facts());
    file.put("load average before", loadBefore);
    file.put("load average after", Machine.loadAverage());
    file.put("figures", documented.toJson());
    file.put("table", documented.table());
    String name = (family ? "which-tree-" : "readme-") + entries.toLowerCase(Locale.ROOT);
    Json.writeTo(docs.resolve("measurements").resolve(name + ".json"), file);
    if (!family) {
      writeText(docs.resolve("images").resolve(name + ".svg"), documented.chart(count));
    }
    System.out.println();
    documented.table().forEach(System.out::println);
  }

  private static void writeText(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
