// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The as-of join, which joins time series: the partner of an outer row is the latest entry of an
 * index, the inner side, whose key is at or before the row's key, and not too long before.
 *
 * {@snippet :
 * try (var join = new AsOfJoin(trades, quotes, 5_000, JoinOptions.DEFAULT)) {
 *   join.open();
 *   while (join.next()) {
 *     JoinBatch rows = join.batch();
 *     for (int row = 0; row < rows.count(); row++) {
 *       consume(rows.outerPayload(row), rows.innerKey(row), rows.innerValue(row));
 *     }
 *   }
 * }
 * }
 *
 * <p>{@link JoinBatch#innerKey} is the key of the partner. All types of joins are there, the usual
 * ones being {@link JoinType#INNER} and {@link JoinType#LEFT}. Rows come out in the order of the
 * outer side.
 *
 * <p>With the method {@code SORTED}, the keys of a batch are sorted, and each leaf of the tree is
 * read once for all of those that belong to it. With {@code GROUP}, the nodes on the paths of many
 * keys are brought into the cache together, level by level, before each key is sought; with {@code
 * SINGLE} they are not. {@code AUTO} sorts if the tree is in memory and does not fit into the
 * cache. A batch whose keys ascend, as those of time series do, is read like a sorted one, whatever
 * the method. {@code BUFFERED} and residual predicates are not supported.
 *
 * <p>A join takes about 33 bytes per row of the batch size, and 32 more while it sorts. Closing it
 * does not close the index, which may be changed between two calls of {@link #next}.
 */
public final class AsOfJoin implements BatchJoin<JoinBatch> {
  /** As an unsigned number, at least as far as any key is from any other. */
  private static final long ANY_DISTANCE = -1;

  /** Entries of an index from which it pays to sort the keys that are sought. */
  private static final long LEAST_SORTED = 1 << 17;

  private final OuterSource outer;
  private final LongIndex inner;
  private final long tolerance;
  private final JoinBatch batch;
  private final PathWave wave;
  private final boolean sorts;
  private long missingValue;
  private final LongEntry entry = new LongEntry();
  private final JoinProgress progress = new JoinProgress();

  /**
   * Creates a join in which a partner may be any time before its row. It must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look for partners in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalArgumentException if the options have a residual predicate, or a method that
   *     this join does not support
   * @throws IllegalStateException if the index is closed and the options leave the method to the
   *     join
   */
  public AsOfJoin(OuterSource outer, LongIndex inner, JoinOptions options) {
    this(outer, inner, options, ANY_DISTANCE);
  }

  /**
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look for partners in
   * @param tolerance the most by which the key of a row may exceed that of its partner, from 0
   * @param options the type of the join, and how to look up keys
   * @throws IllegalArgumentException if the tolerance is negative, or the options have a residual
   *     predicate, or a method that this join does not support
   * @throws IllegalStateException if the index is closed and the options leave the method to the
   *     join
   */
  public AsOfJoin(OuterSource outer, LongIndex inner, long tolerance, JoinOptions options) {
    this(outer, inner, options, checkTolerance(tolerance));
  }

  private AsOfJoin(OuterSource outer, LongIndex inner, JoinOptions options, long tolerance) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    this.inner = Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    if (options.residual() != null) {
      throw new IllegalArgumentException(
          "the options have a residual predicate, which an as-of join does not support");
    }
    this.tolerance = tolerance;
    this.sorts =
        options.method() == ProbeMethod.SORTED
            || (options.method() == ProbeMethod.AUTO && isFasterSorted(inner));
    this.wave = new PathWave(inner, sorts ? options.withMethod(ProbeMethod.SINGLE) : options);
    this.batch = JoinBatch.ofAnyKeys(options.type(), batchSize(options, sorts));
  }

  /** Returns whether an index is in memory and so large that its leaves are not in the cache. */
  private static boolean isFasterSorted(LongIndex inner) {
    return BatchProbe.canChoose(inner)
        && !BatchLookup.of(inner).levels().readsPages()
        && inner.sizeEstimate() >= LEAST_SORTED;
  }

  private static int batchSize(JoinOptions options, boolean sorts) {
    if (options.batchSize() != JoinOptions.CHOSEN_BATCH_SIZE) {
      return options.batchSize();
    }
    return sorts ? JoinOptions.LARGE_BATCH : JoinOptions.SMALL_BATCH;
  }

  private static long checkTolerance(long tolerance) {
    if (tolerance < 0) {
      throw new IllegalArgumentException("tolerance is " + tolerance + "; it must not be negative");
    }
    return tolerance;
  }

  @Override
  public void open() {
    progress.open(outer::open);
  }

  @Override
  public boolean next() {
    progress.checkOpen();
    batch.clear();
    missingValue = inner.missingValue();
    while (!progress.isAtEnd() && batch.count() == 0) {
      int rows = progress.read(outer.nextBatch(batch.keys, batch.payloads), batch.keys.length);
      probe(rows);
      batch.keep(rows);
    }
    return progress.giveOut(batch.count());
  }

  private void probe(int rows) {
    if (ascend(rows)) {
      FloorScan scan = new FloorScan(inner.cursor());
      for (int row = 0; row < rows; row++) {
        take(row, scan.goTo(batch.keys[row]), scan.key(), scan.value());
      }
    } else if (sorts) {
      probeSorted(rows);
    } else {
      for (int from = 0; from < rows; from += PathWave.ROWS) {
        probe(from, Math.min(from + PathWave.ROWS, rows));
      }
    }
  }

  private boolean ascend(int rows) {
    for (int row = 1; row < rows; row++) {
      if (batch.keys[row - 1] > batch.keys[row]) {
        return false;
      }
    }
    return true;
  }

  private void probeSorted(int rows) {
    long[] numbers = new long[rows];
    Arrays.setAll(numbers, row -> row);
    PairSort sorted = new PairSort(Arrays.copyOf(batch.keys, rows), numbers);
    FloorScan scan = new FloorScan(inner.cursor());
    for (int i = 0; i < rows; i++) {
      boolean isThere = scan.goTo(sorted.first[i]);
      take((int) sorted.second[i], isThere, scan.key(), scan.value());
    }
  }

  private void probe(int from, int to) {
    wave.bring(batch.keys, from, to - from);
    for (int row = from; row < to; row++) {
      boolean isThere = inner.floor(batch.keys[row], entry);
      take(row, isThere, entry.key(), entry.value());
    }
  }

  /** Notes the last entry at or before the key of a row, if there is one. */
  private void take(int row, boolean isThere, long innerKey, long value) {
    boolean isMatched = isThere && Long.compareUnsigned(batch.keys[row] - innerKey, tolerance) <= 0;
    batch.matched[row] = isMatched;
    batch.innerKeys[row] = innerKey;
    batch.values[row] = isMatched ? value : missingValue;
  }

  @Override
  public JoinBatch batch() {
    return batch;
  }

  @Override
  public JoinStatistics statistics() {
    return progress.statistics(Optional.empty());
  }

  @Override
  public void close() {
    if (progress.close()) {
      batch.clear();
      outer.close();
    }
  }
}
