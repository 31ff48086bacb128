// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.peer.BytesIndexStore;
import dev.espalier.benchmarks.peer.StringEntries;
import dev.espalier.benchmarks.peer.StringPeerProvider.InFiles;
import dev.espalier.benchmarks.peer.StringProbes;
import dev.espalier.benchmarks.peer.StringStore;
import dev.espalier.benchmarks.ratios.Target.Bound;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/** Indexes of byte strings in files, beside other stores: cold lookups, and puts that are safe. */
final class StringsInFiles {
  static final int BATCH = 1_000;

  private static final int GROUP = StringsInMemory.GROUP;

  /** Keys in a round from a cold cache: some tenths of a second. */
  private static final int COLD_KEYS = 16 * GROUP;

  private static final int LOAD_BATCH = 10_000;

  /** A cold cache is so many times smaller than the entries. */
  private static final int CACHE_SHARE = 8;

  /** While puts are measured, so many times. */
  private static final int PUT_CACHE_SHARE = 4;

  private static final long LEAST_CACHE = 1L << 20;

  /** What RocksDB has beside its cache for puts, as it is by default. */
  private static final long WRITE_BUFFER = 64L << 20;

  private final StringEntries entries;
  private final int durablePuts;
  private final List<InFiles> types = new ArrayList<>();
  private final Map<String, StringStore> stores = new LinkedHashMap<>();
  private final Rounds cold = new Rounds();
  private final Rounds puts = new Rounds();
  private final SplittableRandom random = new SplittableRandom(2);
  private StringProbes probes;

  StringsInFiles(StringEntries entries, int durablePuts, int pageBytes, List<InFiles> others) {
    this.entries = entries;
    this.durablePuts = Math.min(durablePuts, entries.count());
    probes = entries.probes(random, 1);
    types.add(
        new InFiles(
            StringsInMemory.TREE, pool -> new BytesIndexStore(pool + WRITE_BUFFER, pageBytes)));
    types.addAll(others);
  }

  void measure(int rounds) {
    try {
      measureCold(rounds);
      closeAll();
      measurePuts(rounds);
    } finally {
      closeAll();
    }
  }

  private void closeAll() {
    stores.values().forEach(StringStore::close);
    stores.clear();
  }

  private StringStore store(InFiles type) {
    return Objects.requireNonNull(stores.get(type.name()));
  }

  private long cacheBytes(int count, int share) {
    return Math.max(LEAST_CACHE, entries.ownBytes(count) / share);
  }

  private void measureCold(int rounds) {
    long large = cacheBytes(entries.count(), 1) * 3;
    long small = cacheBytes(entries.count(), CACHE_SHARE);
    for (InFiles type : types) {
      StringStore store = type.factory().apply(large);
      stores.put(type.name(), store);
      put(store, entries.count(), LOAD_BATCH);
      store.settle();
      String work = coldWork(type.name());
      cold.add(
          work,
          COLD_KEYS,
          () -> {
            store.reopen(small);
            // The device may still have what was read before.
            probes = entries.probes(random, COLD_KEYS);
          },
          () -> StringsInMemory.checkSum(work, probes.sum(), store.getAll(probes.keys(), GROUP)));
    }
    cold.run(rounds);
  }

  private void measurePuts(int rounds) {
    for (InFiles type : types) {
      puts.add(
          putWork(type.name()),
          durablePuts,
          () -> renew(type),
          () -> put(store(type), durablePuts, BATCH));
      puts.add("check of " + putWork(type.name()), durablePuts, () -> check(type));
    }
    puts.run(rounds);
  }

  private void renew(InFiles type) {
    StringStore before = stores.remove(type.name());
    if (before != null) {
      before.close();
    }
    stores.put(type.name(), type.factory().apply(cacheBytes(durablePuts, PUT_CACHE_SHARE)));
  }

  private void put(StringStore store, int count, int batch) {
    for (int i = 0; i < count; i += batch) {
      store.putTogether(entries, i, Math.min(count, i + batch));
    }
  }

  private void check(InFiles type) {
    StringProbes some = entries.probes(random, durablePuts, Math.min(COLD_KEYS, durablePuts));
    StringsInMemory.checkSum(
        putWork(type.name()), some.sum(), store(type).getAll(some.keys(), GROUP));
  }

  private static String coldWork(String store) {
    return "getAll from a cold file, " + store;
  }

  private static String putWork(String store) {
    return "put safely in batches of 1,000, " + store;
  }

  Map<String, Double> medians() {
    Map<String, Double> medians = new LinkedHashMap<>(cold.medians());
    for (InFiles type : types) {
      medians.put(
          putWork(type.name()), Objects.requireNonNull(puts.medians().get(putWork(type.name()))));
    }
    return medians;
  }

  List<Target> targets() {
    String rocksDb = StringsInMemory.ROCKS_DB;
    String tree = StringsInMemory.TREE;
    return List.of(
        target(
            "getAll of 256 from a cold file, against multiGet of RocksDB",
            2,
            cold.ratio(coldWork(rocksDb), coldWork(tree))),
        target(
            "durable batches of 1,000, against RocksDB",
            1,
            puts.ratio(putWork(rocksDb), putWork(tree))));
  }

  private Target target(String work, double limit, OptionalDouble ratio) {
    return new Target(
        work + ", values of " + entries.valueBytes() + " bytes", Bound.AT_LEAST, limit, "x", ratio);
  }
}
