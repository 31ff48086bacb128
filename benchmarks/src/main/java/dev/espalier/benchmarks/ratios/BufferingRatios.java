// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.family.Family;
import java.util.List;
import java.util.SplittableRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the ways to look up many keys in one index: one by one, in groups, sorted, buffered and
 * by automatic choice; buffered access in any order, in order, and with updates among the probes;
 * and overlap queries of an R-tree one by one and buffered.
 */
@Command(
    name = "buffering",
    mixinStandardHelpOptions = true,
    description = "Measures buffered lookups against others, on one thread.",
    sortOptions = false)
public final class BufferingRatios implements Runnable {

  @Option(
      names = "--entries",
      defaultValue = "50M",
      paramLabel = "N",
      description = "Entries of an index, like 50000000 or 50M (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--probes",
      defaultValue = "10M",
      paramLabel = "N",
      description = "Uniformly random probes (default: ${DEFAULT-VALUE}).")
  private String probes = "";

  @Option(
      names = "--trees",
      split = ",",
      defaultValue = "BPlusTree,PbPlusTree,CssTree,CsbPlusTree,TTree,RTree",
      paramLabel = "NAMES",
      description = "The trees (default: ${DEFAULT-VALUE}).")
  private List<String> trees = List.of();

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "Rounds, after two for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--batches",
      description = "Instead, compare the automatic choice at every batch size up to that many.")
  private boolean batches;

  @Mixin private final Publication publication = new Publication();

  /** Measures; the exit status is not 0 if that failed. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new BufferingRatios()), args));
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    int count = Math.toIntExact(DataSize.entries(entries));
    int most = Math.toIntExact(DataSize.entries(probes));
    System.out.println("entries:     " + count);
    System.out.println("probes:      " + most);
    for (String name : trees) {
      Rounds measured = new Rounds();
      System.out.printf("%n%s%n", name);
      if (name.equals("RTree")) {
        try (BufferedOverlaps work = new BufferedOverlaps(most)) {
          work.addTo(measured);
          measured.run(rounds);
        }
      } else {
        long[] keys = WorkKeys.probes(new SplittableRandom(1), count, most);
        try (BufferedLookups work = new BufferedLookups(Family.named(name), count, keys)) {
          if (batches) {
            work.addBatchesTo(measured);
          } else {
            work.addTo(measured);
          }
          measured.run(rounds);
          System.out.println(work.choice());
        }
      }
      PrintedTable table = PrintedTable.inLines("%-36s %,10.1f ns", name, "ns");
      measured.medians().forEach((work, nanos) -> table.add(work, nanos));
      publication.print(table);
    }
    publication.write();
  }
}
