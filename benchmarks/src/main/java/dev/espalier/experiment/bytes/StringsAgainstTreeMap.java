// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.bytes;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The prefix B+-tree with strings for keys, beside a {@code TreeMap} of the JDK. */
final class StringsAgainstTreeMap implements Experiment {
  private static final List<KeyKind> KINDS = List.of(KeyKind.URL, KeyKind.MAIL, KeyKind.UUIDS);
  private static final int GROUP = 256;
  private static final int VALUE_BYTES = 8;

  /** How often space is looked at while the last half of the entries is put. */
  private static final int SAMPLES = 8;

  /** Fewer are in so few pages that space is a matter of luck. */
  private static final int LEAST_ENTRIES = 50_000;

  /** Of the entries, how many are put in a round. */
  private static final int PUT_SHARE = 8;

  private static final String TREE = "PrefixBPlusTree";
  private static final String MAP = "TreeMap<String, Long>";

  /** What is timed, and of which structure. */
  private record Setting(String work, String structure) {
    @Override
    public String toString() {
      return work + ", " + structure;
    }
  }

  @Override
  public Description description() {
    return new Description(
        "bytes-strings",
        "Strings for keys",
        "an aim of this library",
        "No paper measures keys like these. The aims are lookups five times as fast as those of a"
            + " TreeMap, 2.5 times as fast again in groups, and at most 1.35 bytes in pages for"
            + " each byte of entries after a bulkload, 1.7 after random puts.",
        "URLs, mail addresses and UUIDs with values of 8 bytes in a PrefixBPlusTree, whose keys are"
            + " UTF-8, and in a TreeMap of strings, which looks up other String objects than it"
            + " has. Half as many entries as in other experiments.",
        new Chart(Chart.Kind.BARS, "structure", "work", "time", "keys"));
  }

  @Override
  public Outcome run(Run run) {
    Outcome outcome =
        new Outcome(
            Column.text("keys", "keys"),
            Column.text("work", "work"),
            Column.text("structure", "structure"),
            Column.real("time", "time of an entry", "ns"));
    int entries = Math.max(run.effort().entries() / 2, LEAST_ENTRIES);
    outcome.parameter("entries", entries).parameter("keys of a group", GROUP);
    for (int i = 0; i < KINDS.size(); i++) {
      measure(KINDS.get(i), entries, run, run.progress().part(i, KINDS.size()), outcome);
    }
    return outcome;
  }

  private static void measure(
      KeyKind kind, int entries, Run run, Progress progress, Outcome outcome) {
    String[] strings = kind.draw(entries);
    PackedBytes keys = pack(strings);
    NavigableMap<String, Long> map = new TreeMap<>();
    try (PrefixBPlusTree tree = PrefixBPlusTree.create(IndexOptions.DEFAULT)) {
      for (int i = 0; i < entries; i++) {
        map.put(strings[i], (long) i);
      }
      double[] spent = grow(tree, keys, entries);
      String growing = kind + ": bytes for each byte of entries, while they are put at random";
      outcome
          .parameter(growing + ", mean", Arrays.stream(spent).average().orElseThrow())
          .parameter(growing + ", most", Arrays.stream(spent).max().orElseThrow());
      try (PrefixBPlusTree full = PrefixBPlusTree.create(IndexOptions.DEFAULT)) {
        full.bulkload(tree.cursor(), 1.0, entries, ProgressListener.NONE);
        outcome.check(
            Check.deterministic(
                kind + ": bytes for each byte of entries, after a bulkload",
                spent(full, keys, entries),
                Target.atMost(1.35)));
      }
      int[] order = new SplittableRandom(1).ints(run.effort().probes(), 0, entries).toArray();
      List<Work<Setting>> works = works(strings, keys, order, map, tree);
      List<Time<Setting>> times = Stopwatch.time(works, run.effort().rounds(), progress);
      for (Time<Setting> time : times) {
        outcome.row(
            kind.toString(), time.setting().work(), time.setting().structure(), time.nanos());
      }
      check(kind, "TreeMap's get over the tree's", times.get(0), times.get(1), 5, outcome);
      check(kind, "get over getAll", times.get(1), times.get(2), 2.5, outcome);
    }
  }

  /**
   * Puts all keys; returns how many bytes of pages there were for a byte of entries, several times
   * while their number doubled: where all keys are alike, pages fill up and split together.
   */
  private static double[] grow(PrefixBPlusTree tree, PackedBytes keys, int entries) {
    double[] spent = new double[SAMPLES];
    int done = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
      int next = entries / 2 + (int) (entries / 2L * (sample + 1) / SAMPLES);
      putAll(tree, keys, done, next);
      done = next;
      spent[sample] = spent(tree, keys, done);
    }
    putAll(tree, keys, done, entries);
    return spent;
  }

  private static double spent(PrefixBPlusTree tree, PackedBytes keys, int entries) {
    long keyBytes = keys.offsets().get(JAVA_INT_UNALIGNED, (long) entries * Integer.BYTES);
    return tree.statistics().usedBytes() / (keyBytes + (double) VALUE_BYTES * entries);
  }

  private static void check(
      KeyKind kind,
      String what,
      Time<Setting> slow,
      Time<Setting> fast,
      double least,
      Outcome outcome) {
    outcome.check(
        Check.timing(kind + ": " + what, slow.nanos() / fast.nanos(), Target.atLeast(least)));
  }

  private static List<Work<Setting>> works(
      String[] strings,
      PackedBytes keys,
      int[] order,
      NavigableMap<String, Long> map,
      PrefixBPlusTree tree) {
    String[] probes = new String[order.length];
    for (int i = 0; i < order.length; i++) {
      probes[i] =
          new String(strings[order[i]].getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
    PackedBytes packed = pack(probes);
    int puts = strings.length / PUT_SHARE;
    return List.of(
        new Work<>(new Setting("get", MAP), probes.length, () -> getFromMap(map, probes)),
        new Work<>(new Setting("get", TREE), probes.length, () -> get(tree, packed)),
        new Work<>(
            new Setting("getAll", TREE),
            (long) probes.length / group(probes.length) * group(probes.length),
            () -> getAll(tree, packed)),
        new Work<>(new Setting("put", MAP), puts, () -> putIntoMap(strings, puts)),
        new Work<>(new Setting("put", TREE), puts, () -> putIntoTree(keys, puts)),
        new Work<>(new Setting("scan", MAP), strings.length, () -> scanMap(map)),
        new Work<>(new Setting("scan", TREE), strings.length, () -> scan(tree)));
  }

  // ---------------------------------------------------------------- work

  private static long getFromMap(NavigableMap<String, Long> map, String[] probes) {
    long sum = 0;
    for (String probe : probes) {
      sum += map.getOrDefault(probe, 0L);
    }
    return sum;
  }

  private static long get(PrefixBPlusTree tree, PackedBytes probes) {
    long[] sum = new long[1];
    for (int i = 0; i < probes.count(); i++) {
      tree.get(
          probes.get(i), (piece, from, _, _, _) -> sum[0] += piece.get(JAVA_LONG_UNALIGNED, from));
    }
    return sum[0];
  }

  /** Returns how many keys are looked up together. */
  private static int group(int probes) {
    return Math.min(GROUP, probes);
  }

  private static long getAll(PrefixBPlusTree tree, PackedBytes probes) {
    long[] sum = new long[1];
    int group = group(probes.count());
    for (int i = 0; i + group <= probes.count(); i += group) {
      MemorySegment offsets = probes.offsets().asSlice((long) i * Integer.BYTES);
      tree.getAll(
          new PackedBytes(probes.bytes(), offsets, group),
          (_, piece, from, _, _, _) -> sum[0] += piece.get(JAVA_LONG_UNALIGNED, from));
    }
    return sum[0];
  }

  private static long putIntoMap(String[] strings, int count) {
    NavigableMap<String, Long> map = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      map.put(strings[i], (long) i);
    }
    return map.size();
  }

  private static long putIntoTree(PackedBytes keys, int count) {
    try (PrefixBPlusTree tree = PrefixBPlusTree.create(IndexOptions.DEFAULT)) {
      putAll(tree, keys, 0, count);
      return tree.size();
    }
  }

  private static void putAll(PrefixBPlusTree tree, PackedBytes keys, int from, int to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(VALUE_BYTES);
      for (int i = from; i < to; i++) {
        value.set(JAVA_LONG_UNALIGNED, 0, i);
        tree.set(keys.get(i), value);
      }
    }
  }

  private static long scanMap(NavigableMap<String, Long> map) {
    long bytes = 0;
    for (var entry : map.entrySet()) {
      bytes += entry.getKey().length() + VALUE_BYTES;
    }
    return bytes;
  }

  private static long scan(PrefixBPlusTree tree) {
    BytesCursor cursor = tree.cursor();
    long bytes = 0;
    while (cursor.next()) {
      bytes += cursor.key().byteSize() + cursor.valueBytes();
    }
    return bytes;
  }

  /** Returns strings in memory outside of the heap, one behind the other. */
  private static PackedBytes pack(String[] strings) {
    List<byte[]> all = new ArrayList<>(strings.length);
    for (String string : strings) {
      all.add(string.getBytes(StandardCharsets.UTF_8));
    }
    PackedBytes heap = PackedBytes.of(all);
    MemorySegment bytes = Arena.ofAuto().allocate(heap.bytes().byteSize());
    bytes.copyFrom(heap.bytes());
    MemorySegment offsets = Arena.ofAuto().allocate(heap.offsets().byteSize(), Integer.BYTES);
    MemorySegment.copy(
        heap.offsets(), JAVA_INT_UNALIGNED, 0, offsets, JAVA_INT_UNALIGNED, 0, strings.length + 1L);
    return new PackedBytes(bytes, offsets, strings.length);
  }
}
