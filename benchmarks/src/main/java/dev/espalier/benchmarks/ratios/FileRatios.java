// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.ratios.Target.Bound;
import dev.espalier.cli.AsciiDigits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures files and indexes in them: the engines against reading one block after the other, range
 * scans with and without reading ahead, lookups from a cold pool one by one, by a thousand virtual
 * threads and in batches, and lookups that find everything in the pool against the same tree in
 * memory.
 *
 * <p>All of it runs in turn in one JVM, on files of its own that are deleted at the end.
 */
@Command(
    name = "files",
    mixinStandardHelpOptions = true,
    description = "Measures page files and indexes in them.",
    sortOptions = false)
public final class FileRatios implements Runnable {

  @Option(
      names = "--entries",
      defaultValue = "10M",
      paramLabel = "N",
      description = "Entries of the index, like 10000000 or 10M (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--rounds",
      defaultValue = "9",
      paramLabel = "N",
      description = "Rounds, after two for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Parameters(
      arity = "0..1",
      paramLabel = "FOLDER",
      defaultValue = "${sys:java.io.tmpdir}",
      description = "A folder on the device to be measured (default: ${DEFAULT-VALUE}).")
  private Path parent = Path.of("");

  @Mixin private final Publication publication = new Publication();

  /** Measures; the exit status is not 0 if that failed, whatever the targets. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new FileRatios()), args));
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    int count = Math.toIntExact(DataSize.entries(entries));
    System.out.println("entries:     " + count);
    System.out.println("folder:      " + parent);
    try {
      Path folder = Files.createTempDirectory(parent, "espalier-");
      try {
        measure(folder, count);
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.list(folder)) {
      all = files.toList();
    }
    for (Path file : all) {
      Files.delete(file);
    }
    Files.delete(folder);
  }

  private void measure(Path folder, int count) {
    List<Target> targets = new ArrayList<>();
    Rounds device = new Rounds();
    try (DeviceReads reads = new DeviceReads(folder)) {
      System.out.println("engine:      " + reads.status());
      System.out.println();
      reads.addTo(device);
      device.run(rounds);
    }
    targets.add(
        new Target(
            "psync of 64 random 4 KiB reads, by one after the other",
            Bound.AT_LEAST,
            3.5,
            "x",
            device.ratio(DeviceReads.ONE_BY_ONE, DeviceReads.PSYNC)));
    targets.add(
        new Target(
            "the same by Netty's engine, time by that of the ring",
            Bound.AT_MOST,
            1.5,
            "x",
            device.ratio(DeviceReads.NETTY, DeviceReads.PSYNC)));
    targets.add(
        new Target(
            "the same by threads, by one after the other",
            Bound.AT_LEAST,
            2,
            "x",
            device.ratio(DeviceReads.ONE_BY_ONE, DeviceReads.THREADS)));
    Rounds index = new Rounds();
    try (FileReads reads = new FileReads(folder, count)) {
      reads.addTo(index);
      index.run(rounds);
    }
    targets.add(
        new Target(
            "range scan in random leaf order, reading ahead, by leaf after leaf",
            Bound.AT_LEAST,
            3.5,
            "x",
            index.ratio(FileReads.SCAN, FileReads.SCAN_AHEAD)));
    targets.add(
        new Target(
            "getAll of 256 cold keys, by get after get",
            Bound.AT_LEAST,
            3.5,
            "x",
            index.ratio(FileReads.COLD_GET, FileReads.COLD_GET_ALL)));
    targets.add(
        new Target(
            "get after get, by gets of 1,000 virtual threads, part of what depth 64 gives the"
                + " device",
            Bound.AT_LEAST,
            0.8,
            "",
            part(
                index.ratio(FileReads.COLD_GET, FileReads.COLD_GET_VIRTUAL),
                device.ratio(DeviceReads.PAGES_ONE_BY_ONE, DeviceReads.PAGES_PSYNC))));
    targets.add(
        new Target(
            "get with all pages in the pool, time by that in memory",
            Bound.AT_MOST,
            1.4,
            "x",
            index.ratio(FileReads.GET, FileReads.GET_IN_MEMORY)));
    print(targets, device, index);
  }

  private static OptionalDouble part(OptionalDouble gained, OptionalDouble most) {
    return gained.isPresent() && most.isPresent()
        ? OptionalDouble.of(gained.getAsDouble() / most.getAsDouble())
        : OptionalDouble.empty();
  }

  private void print(List<Target> targets, Rounds... all) {
    System.out.println();
    publication.print(Target.table(targets));
    System.out.println();
    PrintedTable medians = PrintedTable.inLines("%-44s %,12.0f ns", "work", "ns");
    for (Rounds part : all) {
      part.medians().forEach((work, nanos) -> medians.add(work, nanos));
    }
    publication.print(medians);
    publication.write();
  }
}
