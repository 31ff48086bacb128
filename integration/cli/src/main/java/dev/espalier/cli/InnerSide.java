// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.io.PoolCounters;
import dev.espalier.join.JoinOptions;
import java.util.List;
import java.util.Optional;

/**
 * A structure that holds the inner side of a join and is probed with the outer side.
 *
 * @param <T> the join's input
 */
interface InnerSide<T> extends AutoCloseable {
  /** Rows at a time where every row is looked up by itself. */
  int BATCH_SIZE = 256;

  /**
   * Returns the bytes of memory it takes.
   *
   * @param heapGrowth by how many bytes the Java heap grew when it was built, as far as the garbage
   *     collector can tell: the answer for what lives there; 0 for a kind that does not
   */
  long bytes(long heapGrowth);

  /** Joins all rows of the outer side. */
  JoinDigest join(T input, JoinOptions options);

  /** Returns what its buffer pool has done so far, if it has one. */
  default Optional<PoolCounters> pool() {
    return Optional.empty();
  }

  @Override
  void close();

  /**
   * A kind of inner side.
   *
   * @param <T> the join's input
   * @param name of the index or map
   * @param methods how it can be probed
   * @param builder puts the keys of the inner side into a new one, with their row numbers
   * @param warmUpRows so many rows of a sample are joined by each method before it counts as
   *     compiled
   * @param threads how many probe it at once
   * @param isOnHeap whether it lives on the Java heap, which then has to be measured
   */
  record Kind<T>(
      String name,
      List<ProbeMethod> methods,
      Builder<T> builder,
      int warmUpRows,
      int threads,
      boolean isOnHeap) {

    /** As many as the compiler needs for what lives in memory, where the compiled code counts. */
    private static final int WARM_UP_ROWS = 2_000_000;

    /** Describes an index that lives in memory outside of the Java heap. */
    Kind(String name, List<ProbeMethod> methods, Builder<T> builder) {
      this(name, methods, builder, WARM_UP_ROWS, 1, false);
    }

    /** Describes a map on the Java heap, which looks up one row at a time. */
    static <T> Kind<T> onHeap(String name, Builder<T> builder) {
      return new Kind<>(name, List.of(ProbeMethod.SINGLE), builder, WARM_UP_ROWS, 1, true);
    }

    /** Returns this kind, probed by several threads. */
    Kind<T> probedBy(int several) {
      return new Kind<>(name, methods, builder, warmUpRows, several, isOnHeap);
    }
  }

  /** Makes an inner side. */
  @FunctionalInterface
  interface Builder<T> {
    InnerSide<T> build(T input);
  }
}
