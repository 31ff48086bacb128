// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.benchmarks.peer.BytesIndexPeer;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringMapPeer;
import dev.espalier.benchmarks.peer.StringPeer;
import dev.espalier.benchmarks.peer.StringPeerProvider.InMemory;
import dev.espalier.benchmarks.peer.StringProbes;
import dev.espalier.benchmarks.ratios.Target.Bound;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** The prefix B+-tree with strings for keys in memory, beside other structures. */
final class StringsInMemory {
  static final String TREE = "PrefixBPlusTree";
  static final String TREE_MAP = "TreeMap";
  static final String LMDB = "LMDB";
  static final String ROCKS_DB = "RocksDB";
  static final String MV_STORE = "MVStore";

  static final int GROUP = 256;

  private static final String CHECK = "check of ";
  private static final int MOST_PROBES = 500_000;

  /** How often space is looked at while the last half of the entries is put. */
  private static final int SAMPLES = 8;

  /** The structures whose puts have a target: others are filled once. */
  private static final Set<String> FILLED_AGAIN = Set.of(TREE, LMDB, ROCKS_DB);

  private final StringEntries entries;
  private final long sum;
  private final StringProbes probes;
  private final Map<String, InMemory> types = new LinkedHashMap<>();
  private final Map<String, StringPeer> peers = new LinkedHashMap<>();
  private final Rounds puts = new Rounds();
  private final Rounds reads = new Rounds();
  private OptionalDouble bulkloaded = OptionalDouble.empty();
  private double meanSpace;
  private double mostSpace;

  StringsInMemory(StringEntries entries, List<InMemory> others) {
    this.entries = entries;
    sum = entries.sum();
    probes = entries.probes(new SplittableRandom(1), Math.min(MOST_PROBES, entries.count()));
    add(new InMemory(TREE, () -> new BytesIndexPeer(PrefixBPlusTree.create())));
    add(new InMemory(TREE_MAP, StringMapPeer::new));
    others.forEach(this::add);
  }

  private void add(InMemory type) {
    types.put(type.name(), type);
  }

  void measure(int rounds) {
    try {
      measurePuts(rounds);
      measureSpace();
      fillOnce();
      measureReads(rounds);
    } finally {
      peers.values().forEach(StringPeer::close);
      peers.clear();
    }
  }

  private void measurePuts(int rounds) {
    for (InMemory type : types.values()) {
      if (FILLED_AGAIN.contains(type.name())) {
        String put = work("put", type.name());
        puts.add(
            put,
            entries.count(),
            () -> renew(type),
            () -> peer(type.name()).put(entries, 0, entries.count()));
        puts.add(CHECK + put, entries.count(), () -> checkPut(put, peer(type.name())));
      }
    }
    puts.run(rounds);
  }

  private void checkPut(String put, StringPeer peer) {
    checkSum(put, sum, peer.scan());
    // So that nothing goes on in the background while the next structure is measured.
    peer.settle();
  }

  private void renew(InMemory type) {
    StringPeer before = peers.remove(type.name());
    if (before != null) {
      before.close();
    }
    peers.put(type.name(), type.factory().get());
  }

  private StringPeer peer(String name) {
    return Objects.requireNonNull(peers.get(name));
  }

  /**
   * Looks at space several times while the number of entries doubles: where keys are alike, pages
   * fill up and split together.
   */
  private void measureSpace() {
    try (BytesIndexPeer grown = new BytesIndexPeer(PrefixBPlusTree.create());
        PrefixBPlusTree full = PrefixBPlusTree.create(IndexOptions.DEFAULT)) {
      int done = 0;
      double all = 0;
      for (int sample = 0; sample < SAMPLES; sample++) {
        int next = entries.count() / 2 + (int) (entries.count() / 2L * (sample + 1) / SAMPLES);
        grown.put(entries, done, next);
        done = next;
        double space = (double) grown.index().statistics().usedBytes() / entries.ownBytes(done);
        all += space;
        mostSpace = Math.max(mostSpace, space);
      }
      meanSpace = all / SAMPLES;
      grown.put(entries, done, entries.count());
      full.bulkload(grown.index().cursor(), 1.0, entries.count(), ProgressListener.NONE);
      bulkloaded =
          OptionalDouble.of(
              (double) full.statistics().usedBytes() / entries.ownBytes(entries.count()));
      checkSum("bulkload", sum, new BytesIndexPeer(full).scan());
    }
  }

  private void fillOnce() {
    for (InMemory type : types.values()) {
      if (!peers.containsKey(type.name())) {
        renew(type);
        peer(type.name()).put(entries, 0, entries.count());
      }
      peer(type.name()).settle();
    }
  }

  private void measureReads(int rounds) {
    int count = probes.keys().count();
    peers.forEach(
        (name, peer) ->
            addRead(reads, work("get", name), count, probes.sum(), () -> peer.get(probes.keys())));
    BytesIndexPeer tree = (BytesIndexPeer) peer(TREE);
    addRead(
        reads, work("getAll", TREE), count, probes.sum(), () -> tree.getAll(probes.keys(), GROUP));
    peers.forEach(
        (name, peer) -> addRead(reads, work("scan", name), entries.count(), sum, peer::scan));
    reads.run(rounds);
  }

  /** Adds work whose answer is checked each time. */
  static void addRead(
      Rounds rounds, String work, int operations, long expected, LongSupplier reader) {
    rounds.add(work, operations, () -> checkSum(work, expected, reader.getAsLong()));
  }

  static void checkSum(String work, long expected, long sum) {
    if (sum != expected) {
      throw new IllegalStateException(
          work + " gave wrong answers: their sum is " + sum + "; it must be " + expected);
    }
  }

  private static String work(String what, String structure) {
    return what + ", " + structure;
  }

  Map<String, Double> medians() {
    Map<String, Double> medians = new LinkedHashMap<>(puts.medians());
    medians.keySet().removeIf(work -> work.startsWith(CHECK));
    medians.putAll(reads.medians());
    return medians;
  }

  List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    targets.add(faster(reads, "get", TREE_MAP, 5));
    targets.add(faster(reads, "get", LMDB, 2));
    targets.add(faster(reads, "get", MV_STORE, 3));
    targets.add(faster(reads, "get", ROCKS_DB, 5));
    targets.add(
        new Target(
            label("getAll of 256, against its own get"),
            Bound.AT_LEAST,
            2.5,
            "x",
            reads.ratio(work("get", TREE), work("getAll", TREE))));
    targets.add(faster(puts, "put", LMDB, 1.5));
    targets.add(faster(puts, "put", ROCKS_DB, 1.5));
    targets.add(faster(reads, "scan", LMDB, 2));
    targets.add(space("after a bulkload", 1.35, bulkloaded));
    targets.add(space("while put at random, mean", 1.7, OptionalDouble.of(meanSpace)));
    targets.add(space("while put at random, most", 1.7, OptionalDouble.of(mostSpace)));
    return targets;
  }

  private Target faster(Rounds rounds, String what, String other, double limit) {
    return new Target(
        label(what + ", against " + other),
        Bound.AT_LEAST,
        limit,
        "x",
        rounds.ratio(work(what, other), work(what, TREE)));
  }

  private Target space(String when, double limit, OptionalDouble value) {
    return new Target(
        label("bytes for each byte of entries, " + when), Bound.AT_MOST, limit, "", value);
  }

  private String label(String work) {
    return work + ", values of " + entries.valueBytes() + " bytes";
  }
}
