// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringPeerProvider;
import dev.espalier.benchmarks.peer.StringPeerProvider.InFiles;
import dev.espalier.benchmarks.peer.StringPeerProvider.InMemory;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the index of byte strings against its targets: beside a {@code TreeMap}, and beside the
 * stores that are on the class path. All of them take turns in one JVM; every answer of every round
 * is checked.
 */
@Command(
    name = "strings",
    mixinStandardHelpOptions = true,
    description = "Measures the index of byte strings against other structures, on one thread.",
    sortOptions = false)
public final class StringRatios implements Runnable {
  private static final int QUICK_ENTRIES = 100_000;

  @Option(
      names = "--entries",
      defaultValue = "1M",
      paramLabel = "N",
      description = "Entries, like 1000000 or 1M (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--value-bytes",
      split = ",",
      defaultValue = "8,100",
      paramLabel = "N",
      description = "Bytes of a value, 8 at least (default: ${DEFAULT-VALUE}).")
  private List<Integer> valueBytes = List.of();

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds, after two for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--durable-puts",
      defaultValue = "400k",
      paramLabel = "N",
      description =
          "Entries that are put in durable batches, no more than there are (default:"
              + " ${DEFAULT-VALUE}).")
  private String durablePuts = "";

  @Option(
      names = "--page-bytes",
      paramLabel = "N",
      description = "Bytes of a page of Espalier's files (default: ${DEFAULT-VALUE}).")
  private int pageBytes = FileOptions.DEFAULT_PAGE_BYTES;

  @Option(names = "--quick", description = "At most 100,000 entries and one round.")
  private boolean quick;

  @Mixin private final Publication publication = new Publication();

  private final List<Target> targets = new ArrayList<>();
  private final Map<String, Double> medians = new LinkedHashMap<>();

  /** Measures; the exit status is not 0 if that failed or an answer was wrong. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new StringRatios()), args));
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    int asked = Math.toIntExact(DataSize.entries(entries));
    int count = quick ? Math.min(asked, QUICK_ENTRIES) : asked;
    int all = quick ? 1 : rounds;
    System.out.println("page files:  " + PageFiles.status());
    System.out.println("entries:     " + count);
    List<InMemory> peers = new ArrayList<>();
    List<InFiles> stores = new ArrayList<>();
    for (StringPeerProvider provider : ServiceLoader.load(StringPeerProvider.class)) {
      peers.addAll(provider.peers());
      stores.addAll(provider.stores());
    }
    StringEntries keys = StringEntries.draw(count, Long.BYTES);
    List<StringEntries> drawn = valueBytes.stream().map(keys::withValueBytes).toList();
    // Trees in files come last: the compiler makes slower code of what has run on both media.
    drawn.forEach(some -> measureInMemory(some, all, peers));
    try (EightByteKeys longs = new EightByteKeys(count)) {
      longs.measure(all);
      targets.addAll(longs.targets());
      medians.putAll(longs.medians());
    }
    drawn.forEach(some -> measureInFiles(some, all, stores));
    print();
  }

  private void measureInMemory(StringEntries drawn, int all, List<InMemory> peers) {
    System.out.printf(
        "own bytes:   %d, values of %d bytes%n", drawn.ownBytes(drawn.count()), drawn.valueBytes());
    StringsInMemory inMemory = new StringsInMemory(drawn, peers);
    inMemory.measure(all);
    targets.addAll(inMemory.targets());
    note(inMemory.medians(), drawn);
  }

  private void measureInFiles(StringEntries drawn, int all, List<InFiles> stores) {
    int puts = Math.toIntExact(DataSize.entries(durablePuts));
    StringsInFiles inFiles = new StringsInFiles(drawn, puts, pageBytes, stores);
    inFiles.measure(all);
    targets.addAll(inFiles.targets());
    note(inFiles.medians(), drawn);
  }

  private void note(Map<String, Double> measured, StringEntries drawn) {
    measured.forEach(
        (work, nanos) -> medians.put(work + ", values of " + drawn.valueBytes() + " bytes", nanos));
  }

  private void print() {
    System.out.println();
    publication.print(Target.table(targets));
    System.out.println();
    PrintedTable table = PrintedTable.inMarkdown("| %s | %.1f |", "work", "ns an entry");
    medians.forEach((work, nanos) -> table.add(work, nanos));
    publication.print(table);
    publication.write();
  }
}
