// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.batch.AnswerConsumer;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferedAccess;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.benchmarks.WorkKeys;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Lookups of many keys in one index, by every method. */
final class BufferedLookups implements AutoCloseable {
  /** Enough of what takes long and does not depend on their number. */
  private static final int SINGLE = 1 << 20;

  /** A new entry among so many probes. */
  private static final int PROBES_PER_UPDATE = 100;

  /** These gain nothing from few keys. */
  private static final Set<ProbeMethod> WHOLE =
      EnumSet.of(ProbeMethod.SORTED, ProbeMethod.BUFFERED);

  private final LongIndex index;
  private final int entries;
  private final long[] keys;
  private final long[] values;
  private long inserted;
  private long sum;

  BufferedLookups(TreeVariant variant, int entries, long[] keys) {
    this.index = variant.create(IndexOptions.DEFAULT);
    this.entries = entries;
    this.keys = keys;
    this.values = new long[keys.length];
    index.bulkload(WorkKeys.sorted(entries), 0.9, entries, ProgressListener.NONE);
    BatchLookup.of(index).calibrate();
  }

  /** Returns the choice for all keys, with its reason. */
  String choice() {
    return BatchLookup.of(index).choose(keys.length).toString();
  }

  /** Adds each method, and buffered access, over all keys. */
  void addTo(Rounds rounds) {
    int single = Math.min(SINGLE, keys.length);
    rounds.add("get", single, () -> lookUp(ProbeMethod.SINGLE, single));
    rounds.add("group", single, () -> lookUp(ProbeMethod.GROUP, single));
    for (ProbeMethod method :
        new ProbeMethod[] {ProbeMethod.SORTED, ProbeMethod.BUFFERED, ProbeMethod.AUTO}) {
      rounds.add(name(method), keys.length, () -> lookUp(method, keys.length));
    }
    BufferOptions options = BufferOptions.DEFAULT.withMostWaiting(1 << 22);
    rounds.add("access, any order", keys.length, () -> access(options, false));
    rounds.add("access, in order", keys.length, () -> access(options.withInOrder(true), false));
    rounds.add("access, 1% inserts", keys.length, () -> access(options, true));
    rounds.add(
        "access, fixed buffers",
        keys.length,
        () -> access(options.withBuffers(BufferOptions.Buffers.Fixed.DEFAULT), false));
  }

  /** Adds each method at sizes of batches that grow by four. */
  void addBatchesTo(Rounds rounds) {
    for (int size = 1; size < keys.length; size *= 4) {
      addBatch(rounds, size);
    }
    addBatch(rounds, keys.length);
  }

  private void addBatch(Rounds rounds, int size) {
    int total = Math.max(size, Math.min(SINGLE / 4, keys.length) / size * size);
    for (ProbeMethod method : ProbeMethod.values()) {
      boolean tooSlow = size < 1024 && WHOLE.contains(method);
      boolean sameAsFewer = size > SINGLE && method == ProbeMethod.SINGLE;
      if (!tooSlow && !sameAsFewer) {
        rounds.add(
            "%9d %s".formatted(size, name(method)),
            total,
            () -> {
              for (int from = 0; from < total; from += size) {
                BatchLookup.of(index).getAll(method, keys, from, values, from, size);
              }
            });
      }
    }
  }

  private static String name(ProbeMethod method) {
    return method.name().toLowerCase(Locale.ROOT);
  }

  private void lookUp(ProbeMethod method, int count) {
    BatchLookup.of(index).getAll(method, keys, 0, values, 0, count);
  }

  private void access(BufferOptions options, boolean withInserts) {
    try (var access =
        BufferedAccess.over(
            index,
            options,
            (AnswerConsumer.Bulk)
                (tags, _, values, _, from, to) -> {
                  for (int i = from; i < to; i++) {
                    sum += tags[i] ^ values[i];
                  }
                })) {
      for (int i = 0; i < keys.length; i++) {
        if (withInserts && i % PROBES_PER_UPDATE == 0) {
          access.put(WorkKeys.key(entries + inserted), i);
          inserted++;
        } else {
          access.get(keys[i], i);
        }
      }
    }
  }

  @Override
  public void close() {
    index.close();
    if (sum == 0) {
      throw new IllegalStateException("no probe found anything");
    }
  }
}
