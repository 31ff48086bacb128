// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.TreeVariant.Medium;
import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.peer.PeerType;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.cli.AsciiDigits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the trees in memory against one another, against {@code TreeMap}, and against what the
 * memory allows; or the trees on pages, which are in memory here, against one another and the
 * pB+-tree. As {@link Ratios}, every structure has a JVM of its own and all measure in turn; trees
 * are filled by bulkloads, {@code TreeMap} by puts.
 */
@Command(
    name = "family",
    mixinStandardHelpOptions = true,
    description = "Measures Espalier's trees against one another, on one thread.",
    sortOptions = false)
public final class Family implements Runnable {
  private static final List<Measure> LOOKUPS = List.of(Measure.GET, Measure.GET_ALL_128);
  private static final List<Measure> SCANS = List.of(Measure.SCAN_LOADED, Measure.SCAN_HALF);
  private static final List<Measure> ON_PAGES =
      List.of(
          Measure.GET,
          Measure.GET_ALL,
          Measure.INSERT_70,
          Measure.INSERT_ALL_70,
          Measure.SCAN_LOADED);
  private static final List<Measure> LIMITS = List.of(Measure.LINE, Measure.BANDWIDTH);

  /** Heap for sorting the keys, beside what a worker takes anyway. */
  private static final long HEAP_BYTES_PER_ENTRY = 10;

  @Option(
      names = "--entries",
      defaultValue = "10M",
      paramLabel = "N",
      description = "Entries, like 10000000, 10M or 4xLLC (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--trees",
      split = ",",
      paramLabel = "NAME",
      description = "Trees to measure (default: all in memory, and geometries made for batches).")
  private List<String> trees = new ArrayList<>();

  @Option(
      names = "--pages",
      description = "Measure the trees on pages instead, with the pB+-tree beside them.")
  private boolean pages;

  @Option(
      names = "--no-scans",
      description = "Leave scans out, and with them a second copy of every tree.")
  private boolean noScans;

  @Option(
      names = "--forks",
      defaultValue = "2",
      paramLabel = "N",
      description = "How often new JVMs are started (default: ${DEFAULT-VALUE}).")
  private int forks;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds per JVM, after one for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Mixin private final Publication publication = new Publication();

  private final Figures figures = new Figures();

  /** Measures; the exit status is not 0 if that failed, whatever the targets. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new Family()), args));
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    long count = DataSize.entries(entries);
    System.out.println("entries:     " + count);
    List<Role> roles = new ArrayList<>();
    for (PeerType type : types()) {
      roles.add(Role.usual(type));
    }
    if (!pages) {
      roles.add(Role.usual(Peers.TREE_MAP));
    }
    for (int fork = 1; fork <= forks; fork++) {
      measure(fork, roles, count);
    }
    System.out.println();
    publication.print(
        Target.table(
            pages ? PagesTable.targets(figures) : new FamilyTable(figures, count).targets()));
    System.out.println();
    publication.print(figures.medians());
    publication.write();
  }

  private List<PeerType> types() {
    if (trees.isEmpty()) {
      return pages ? onPages() : inMemory();
    }
    return trees.stream().map(Peers::named).toList();
  }

  private static List<PeerType> inMemory() {
    List<PeerType> types = new ArrayList<>(Peers.trees(Medium.MEMORY));
    types.addAll(Peers.OTHER_GEOMETRIES);
    return types;
  }

  private static List<PeerType> onPages() {
    List<PeerType> types = new ArrayList<>();
    types.add(Peers.named(PagesTable.IN_MEMORY));
    types.addAll(Peers.trees(Medium.PAGES));
    return types;
  }

  private void measure(int fork, List<Role> roles, long count) {
    List<WorkerProcess> workers = new ArrayList<>();
    try {
      for (Role role : roles) {
        long heap = role.heapBytes(count) + HEAP_BYTES_PER_ENTRY * count;
        workers.add(new WorkerProcess(role, count, List.of("-Xmx" + (heap >> 20) + "m")));
      }
      for (WorkerProcess worker : workers) {
        worker.measure(Measure.LOAD);
        if (isTree(worker) && !noScans && !pages) {
          worker.measure(Measure.LOAD_HALF);
          add(fork, 1, worker, Measure.FILL_HALF);
        }
      }
      for (int round = 0; round <= rounds; round++) {
        for (WorkerProcess worker : workers) {
          for (Measure measure : measures(worker)) {
            if (round == 0) {
              worker.measure(measure);
            } else {
              add(fork, round, worker, measure);
            }
          }
        }
      }
    } finally {
      workers.forEach(WorkerProcess::close);
    }
  }

  private static boolean isTree(WorkerProcess worker) {
    return worker.role().type().heapBytesPerEntry() == 0;
  }

  /** The limits are measured by one tree's JVM, right before that tree. */
  private List<Measure> measures(WorkerProcess worker) {
    if (!isTree(worker)) {
      return List.of(Measure.GET);
    }
    if (pages) {
      return ON_PAGES;
    }
    List<Measure> measures = new ArrayList<>();
    if (worker.role().name().equals(FamilyTable.LIMITED)) {
      measures.addAll(LIMITS);
    }
    measures.addAll(LOOKUPS);
    if (!noScans) {
      measures.addAll(SCANS);
    }
    return measures;
  }

  private void add(int fork, int round, WorkerProcess worker, Measure measure) {
    double figure = worker.measure(measure);
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
