// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.LongEntryRanges;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.Waits;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Fills the leaves of a new tree with several threads. Each has a range of leaves, which lie side
 * by side. What fails first in the order of the entries is what the whole fails with, as if one
 * thread had filled them: a thread stops early only if one before it has failed.
 */
final class ParallelFill {
  private static final int NONE = Integer.MAX_VALUE;

  /** Comes before all ranges: whoever cancels stops all threads. */
  private static final int ALL = -1;

  private final VersionedLeaf leaf;
  private final MemorySegment nodes;
  private final LongEntryRanges entries;
  private final long count;
  private final int perLeaf;
  private final long first;
  private final ProgressListener listener;
  private long loaded;

  /** The first range that has failed, and with what. */
  private volatile int failed = NONE;

  private @Nullable Throwable failure;

  /**
   * Prepares to fill leaves.
   *
   * @param perLeaf how many entries each gets, but for the last
   * @param first the first leaf
   */
  ParallelFill(
      ConcurrentStructure tree,
      LongEntryRanges entries,
      int perLeaf,
      long first,
      ProgressListener listener) {
    this.leaf = tree.leaf;
    this.nodes = tree.nodes;
    this.entries = entries;
    this.count = entries.count();
    this.perLeaf = perLeaf;
    this.first = first;
    this.listener = listener;
  }

  /** Fills all leaves, with at most as many threads as there are leaves. */
  void run(int mostThreads) {
    long leaves = Math.max(1, (count - 1) / perLeaf + 1);
    int ranges = (int) Math.min(mostThreads, leaves);
    Thread[] helpers = new Thread[ranges - 1];
    long each = leaves / ranges;
    long rest = leaves % ranges;
    for (int i = 1; i < ranges; i++) {
      int range = i;
      long from = i * each + Math.min(i, rest);
      long to = from + each + (i < rest ? 1 : 0);
      helpers[i - 1] =
          Thread.ofPlatform()
              .name("espalier-bulkload-" + i)
              .daemon()
              .start(() -> fill(range, from, to));
    }
    fill(0, 0, each + (rest > 0 ? 1 : 0));
    awaitAll(helpers);
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    if (failure instanceof Error error) {
      throw error;
    }
  }

  /** Waits until nobody writes any more, even if interrupted: the memory may be freed then. */
  private static void awaitAll(Thread[] threads) {
    for (Thread thread : threads) {
      Waits.awaitEnd(thread);
    }
  }

  private void fill(int range, long fromLeaf, long toLeaf) {
    try {
      fillLeaves(range, fromLeaf, toLeaf);
    } catch (CancellationException cancelled) {
      fail(ALL, cancelled);
    } catch (RuntimeException | Error thrown) {
      fail(range, thrown);
    }
  }

  private synchronized void fail(int range, Throwable thrown) {
    if (range < failed) {
      failed = range;
      failure = thrown;
    }
  }

  private void fillLeaves(int range, long fromLeaf, long toLeaf) {
    long from = fromLeaf * perLeaf;
    long to = Math.min(toLeaf * perLeaf, count);
    // The entry before the range is read as well, for the order of the two.
    long before = from == 0 ? 0 : from - 1;
    LongEntrySource source = entries.range(before, to);
    long previous = 0;
    if (before < from) {
      checkNext(source, before, to, before);
      previous = source.key();
    }
    long place = from;
    for (long node = first + fromLeaf * leaf.bytes; place < to || place == 0; ) {
      Versions.begin(nodes, node);
      leaf.initialize(nodes, node);
      int inLeaf = (int) Math.min(perLeaf, to - place);
      for (int slot = 0; slot < inLeaf; slot++, place++) {
        if (place > from && (place - from) % BulkloadInput.REPORT_EVERY == 0) {
          report(BulkloadInput.REPORT_EVERY);
          if (failed < range) {
            return;
          }
        }
        checkNext(source, before, to, place);
        long key = source.key();
        if (place > 0 && key <= previous) {
          throw BulkloadInput.outOfOrder(key, place, previous);
        }
        leaf.key(nodes, node, slot, key);
        leaf.value(nodes, node, slot, source.value());
        previous = key;
      }
      leaf.count(nodes, node, inLeaf);
      Versions.unlatch(nodes, node);
      node += leaf.bytes;
      if (inLeaf == 0) {
        break;
      }
    }
    if (source.next()) {
      throw new IllegalArgumentException(
          "entries.range(%d, %d) has more entries than that".formatted(before, to));
    }
    count((to - from - 1) % BulkloadInput.REPORT_EVERY + 1);
  }

  private static void checkNext(LongEntrySource source, long from, long to, long place) {
    if (!source.next()) {
      throw new IllegalArgumentException(
          "entries.range(%d, %d) has only %d entries".formatted(from, to, place - from));
    }
  }

  private synchronized void count(long more) {
    loaded += more;
  }

  private synchronized void report(long more) {
    loaded += more;
    if (!listener.onProgress(loaded, count)) {
      throw BulkloadInput.cancelled(loaded);
    }
  }

  /** Tells the listener that all is loaded, who may cancel even now. */
  void finish() {
    report(0);
  }
}
