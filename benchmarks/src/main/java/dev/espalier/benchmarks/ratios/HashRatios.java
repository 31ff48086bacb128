// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.family.Family;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures batched lookups of trees against hash tables: fastutil's map, probed row by row, and a
 * table off the heap that is probed in prefetched groups. Every answer of every round is checked.
 */
@Command(
    name = "hashes",
    mixinStandardHelpOptions = true,
    description = "Measures batched lookups of trees against hash tables, on one thread.",
    sortOptions = false)
public final class HashRatios implements Runnable {
  private static final String MAP = "Long2LongOpenHashMap, row by row";
  private static final String TABLE = "table off the heap, in groups";

  @Option(
      names = "--entries",
      defaultValue = "1500k",
      paramLabel = "N",
      description = "Entries, like 15000000 or 15M (default: ${DEFAULT-VALUE}).")
  private String entries = "";

  @Option(
      names = "--dense",
      description = "Keys that are close together, one in four, instead of random ones.")
  private boolean dense;

  @Option(
      names = "--probes",
      defaultValue = "4M",
      paramLabel = "N",
      description = "Uniformly random probes that hit (default: ${DEFAULT-VALUE}).")
  private String probes = "";

  @Option(
      names = "--trees",
      split = ",",
      defaultValue = "DigestCssTree,CssTree",
      paramLabel = "NAMES",
      description = "The trees (default: ${DEFAULT-VALUE}).")
  private List<String> trees = List.of();

  @Option(
      names = "--group",
      defaultValue = "256",
      paramLabel = "N",
      description = "Probes in a batch (default: ${DEFAULT-VALUE}).")
  private int group;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds, after two for warm-up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Mixin private final Publication publication = new Publication();

  /** Measures; the exit status is not 0 if that failed. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new HashRatios()), args));
  }

  @Override
  public void run() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    int count = Math.toIntExact(DataSize.entries(entries));
    int most = Math.toIntExact(DataSize.entries(probes));
    System.out.printf("entries:     %d %s%n", count, dense ? "dense" : "random");
    System.out.printf("probes:      %d in batches of %d%n%n", most, group);
    long[] keys = keys(count);
    long[] values = WorkKeys.values(keys);
    long[] probed = new long[most];
    SplittableRandom random = new SplittableRandom(1);
    Arrays.setAll(probed, i -> keys[random.nextInt(count)]);
    long[] found = new long[most];
    Runnable reset = () -> Arrays.fill(found, 0);
    Runnable check = () -> check(probed, found);

    Rounds measured = new Rounds();
    List<LongIndex> indexes = new ArrayList<>();
    try (GroupProbedTable table = new GroupProbedTable(keys, values)) {
      Long2LongOpenHashMap map = new Long2LongOpenHashMap(keys, values);
      for (String name : trees) {
        LongIndex index = Family.named(name).create(IndexOptions.DEFAULT);
        indexes.add(index);
        index.bulkload(keys, values);
        BatchLookup lookup = BatchLookup.of(index);
        Runnable probe =
            () -> {
              for (int from = 0; from < most; from += group) {
                int some = Math.min(group, most - from);
                lookup.getAll(ProbeMethod.GROUP, probed, from, found, from, some);
              }
            };
        add(measured, name, most, reset, probe, check);
      }
      add(
          measured,
          MAP,
          most,
          reset,
          () -> {
            for (int i = 0; i < most; i++) {
              found[i] = map.get(probed[i]);
            }
          },
          check);
      add(
          measured,
          TABLE,
          most,
          reset,
          () -> {
            for (int from = 0; from < most; from += group) {
              table.getAll(probed, from, found, from, Math.min(group, most - from));
            }
          },
          check);
      measured.run(rounds);
      print(measured, count, indexes, table);
    } finally {
      indexes.forEach(LongIndex::close);
    }
  }

  /** Adds what is timed, and a check after it that is not. */
  private static void add(
      Rounds rounds, String name, int probes, Runnable reset, Runnable probe, Runnable check) {
    rounds.add(name, probes, reset, probe);
    rounds.add(checkOf(name), probes, () -> {}, check);
  }

  private static String checkOf(String name) {
    return "check of " + name;
  }

  /** Returns keys in order. */
  private long[] keys(int count) {
    long[] keys = new long[count];
    Arrays.setAll(keys, i -> dense ? i * 4L + (i & 3) : WorkKeys.key(i));
    Arrays.sort(keys);
    return keys;
  }

  private static void check(long[] probed, long[] found) {
    for (int i = 0; i < probed.length; i++) {
      if (found[i] != WorkKeys.value(probed[i])) {
        throw new IllegalStateException("key " + probed[i] + " was answered with " + found[i]);
      }
    }
  }

  private void print(Rounds measured, int count, List<LongIndex> indexes, GroupProbedTable table) {
    PrintedTable printed =
        PrintedTable.inMarkdown(
            "| %s | %.1f | %.2fx | %.2fx | %.1f |",
            "structure",
            "ns a probe",
            "speed over the map's",
            "over the table's",
            "bytes an entry");
    for (int i = 0; i < trees.size(); i++) {
      addRow(printed, measured, trees.get(i), indexes.get(i).statistics().bytesPerEntry());
    }
    // As many places as hold the entries three quarters full, in a key array and a value array.
    long places = Long.highestOneBit((long) Math.ceil(count / 0.75) - 1) * 2;
    addRow(printed, measured, MAP, 16.0 * places / count);
    addRow(printed, measured, TABLE, (double) table.bytes() / count);
    publication.print(printed);
    publication.write();
  }

  private static void addRow(PrintedTable printed, Rounds measured, String name, double bytes) {
    printed.add(
        name,
        Objects.requireNonNull(measured.medians().get(name)),
        measured.ratio(MAP, name).orElse(Double.NaN),
        measured.ratio(TABLE, name).orElse(Double.NaN),
        bytes);
  }
}
