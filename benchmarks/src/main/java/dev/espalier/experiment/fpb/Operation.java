// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Sums;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * What is measured on a tree (fpB+ 4.2). Operations come at random ranks, the same for all trees of
 * a size.
 */
enum Operation {
  /** Lookups of keys that are there. */
  SEARCH("search", false) {
    @Override
    long run(LongIndex tree, int entries, long[] ranks) {
      long sum = 0;
      for (long rank : ranks) {
        sum += tree.get(Entries.key(rank));
      }
      return sum;
    }

    @Override
    long answer(int entries, long[] ranks) {
      return LongStream.of(ranks).sum();
    }
  },

  /** Inserts of keys that are not there yet. */
  INSERTION("insertion", true) {
    @Override
    long run(LongIndex tree, int entries, long[] ranks) {
      long inserted = 0;
      for (long rank : ranks) {
        inserted += tree.put(Entries.key(rank) + 1, rank) == tree.missingValue() ? 1 : 0;
      }
      return inserted;
    }

    @Override
    long answer(int entries, long[] ranks) {
      return ranks.length;
    }
  },

  /** Removals of keys that are there. */
  DELETION("deletion", true) {
    @Override
    long run(LongIndex tree, int entries, long[] ranks) {
      long sum = 0;
      for (long rank : ranks) {
        sum += tree.remove(Entries.key(rank));
      }
      return sum;
    }

    @Override
    long answer(int entries, long[] ranks) {
      return LongStream.of(ranks).sum();
    }
  },

  /** Scans of a third of all entries each, keys and values. */
  SCAN("entry scanned", false) {
    @Override
    long run(LongIndex tree, int entries, long[] ranks) {
      LongCursor cursor = tree.cursor();
      LongRun run = new LongRun();
      long sum = 0;
      for (long rank : ranks) {
        sum += scan(cursor, run, first(entries, rank), length(entries));
      }
      return sum;
    }

    @Override
    long answer(int entries, long[] ranks) {
      long sum = 0;
      for (long rank : ranks) {
        long first = first(entries, rank);
        for (long at = first; at < first + length(entries); at++) {
          sum += Entries.key(at) + at;
        }
      }
      return sum;
    }

    @Override
    int count(Effort effort) {
      return Math.clamp(effort.probes() / 10_000, 1, MOST_SCANS);
    }

    @Override
    long units(int entries, long[] ranks) {
      return ranks.length * length(entries);
    }
  };

  /** As many as in the paper. */
  private static final int MOST_SCANS = 100;

  private static final int MOST_OPERATIONS = 2000;

  private static final int RANK_SEED = 17;

  private final String unit;
  private final boolean changesTree;

  Operation(String unit, boolean changesTree) {
    this.unit = unit;
    this.changesTree = changesTree;
  }

  /** Returns what times are given for: one of these. */
  String unit() {
    return unit;
  }

  /** Whether a tree is another one afterwards. */
  boolean changesTree() {
    return changesTree;
  }

  /** Returns how many operations the paper would do, or fewer if the effort is small. */
  int count(Effort effort) {
    return Math.min(effort.probes(), MOST_OPERATIONS);
  }

  /** Returns so many different ranks below {@code entries}, or all of them if there are fewer. */
  static long[] ranks(int entries, int count) {
    return new Random(RANK_SEED)
        .ints(0, entries)
        .distinct()
        .limit(Math.min(count, entries))
        .asLongStream()
        .toArray();
  }

  /** Does an operation at each rank and returns something that depends on all answers. */
  abstract long run(LongIndex tree, int entries, long[] ranks);

  /** Returns what {@link #run} is to return. */
  abstract long answer(int entries, long[] ranks);

  /** Returns how many units one run is. */
  long units(int entries, long[] ranks) {
    return ranks.length;
  }

  private static long length(int entries) {
    return Math.ceilDiv(entries, 3);
  }

  /** Returns where a scan begins, such that it ends before the entries do. */
  private static long first(int entries, long rank) {
    return rank * (entries - length(entries)) / entries;
  }

  /** Returns the sum of the keys and values of {@code length} entries. */
  private static long scan(LongCursor cursor, LongRun run, long first, long length) {
    cursor.scanTo(Entries.key(first + length - 1));
    cursor.ceiling(Entries.key(first));
    long sum = cursor.key() + cursor.value();
    for (long left = length - 1; left > 0 && cursor.nextRun(run); left -= run.count()) {
      int count = (int) Math.min(left, run.count());
      sum += Sums.of(run.segment(), run.keysOffset(), count);
      sum += Sums.of(run.segment(), run.valuesOffset(), count);
    }
    return sum;
  }
}
