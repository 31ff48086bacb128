// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import java.util.Objects;
import java.util.Optional;

/**
 * The index-nested-loop join over keys that are byte strings: looks up the key of each row of the
 * outer side in a {@link BytesIndex}. An operator in the iterator model, like {@link
 * IndexNestedLoopJoin}:
 *
 * {@snippet :
 * try (var join = new BytesIndexJoin(outer, customersByName, JoinOptions.DEFAULT)) {
 *   join.open();
 *   while (join.next()) {
 *     BytesJoinBatch rows = join.batch();
 *     for (int row = 0; row < rows.count(); row++) {
 *       consume(rows.outerPayload(row), rows.innerValue(row));
 *     }
 *   }
 * }
 * }
 *
 * <p>The methods {@code GROUP} and {@code AUTO} look up the keys of a batch together, {@code
 * SORTED} does so in the order of the keys, and {@code SINGLE} looks them up one by one. {@code
 * BUFFERED} lookups and residual predicates are only for joins over longs. Rows come out in the
 * order of the outer side or, with {@code SORTED} and options that allow any order, in the order of
 * the keys.
 *
 * <p>A join takes about 40 bytes per row of the batch size, and a copy of the values of a batch,
 * which may have just below 2 GiB in all. Closing it does not close the index, which may be changed
 * between two calls of {@link #next}. A join is used by one thread at a time; several joins may
 * read the same index.
 */
public final class BytesIndexJoin implements BatchJoin<BytesJoinBatch> {
  private final BytesOuterSource outer;
  private final BytesIndex inner;
  private final JoinOptions options;
  private final BytesJoinBatch batch;
  private final JoinProgress progress = new JoinProgress();

  /**
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look up keys in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalArgumentException if the options have a residual predicate, or their method is
   *     {@code BUFFERED}
   */
  public BytesIndexJoin(BytesOuterSource outer, BytesIndex inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    this.inner = Objects.requireNonNull(inner, "inner is null");
    this.options = Objects.requireNonNull(options, "options is null");
    checkForBytes(options);
    if (options.method() == ProbeMethod.BUFFERED) {
      throw new IllegalArgumentException("method is BUFFERED, which is for keys that are longs");
    }
    this.batch = new BytesJoinBatch(options.type(), batchSize(options));
  }

  /** Rejects options that no join over byte strings supports. */
  static void checkForBytes(JoinOptions options) {
    if (options.residual() != null) {
      throw new IllegalArgumentException(
          "the options have a residual predicate, which is for keys that are longs");
    }
  }

  /** Returns how many rows of the outer side to read at a time. */
  static int batchSize(JoinOptions options) {
    if (options.batchSize() != JoinOptions.CHOSEN_BATCH_SIZE) {
      return options.batchSize();
    }
    return options.method() == ProbeMethod.SORTED
        ? JoinOptions.LARGE_BATCH
        : JoinOptions.SMALL_BATCH;
  }

  @Override
  public void open() {
    progress.open(outer::open);
  }

  /**
   * {@inheritDoc}
   *
   * @throws ArithmeticException if the values of a batch have 2 GiB or more
   */
  @Override
  public boolean next() {
    progress.checkOpen();
    batch.clear();
    while (!progress.isAtEnd() && batch.count() == 0) {
      PackedBytes keys = outer.nextBatch(batch.payloads);
      if (progress.read(keys.count(), batch.payloads.length) > 0) {
        batch.begin(keys);
        probe(keys);
      }
    }
    return progress.giveOut(batch.count());
  }

  private void probe(PackedBytes keys) {
    if (options.method() == ProbeMethod.SORTED) {
      int[] order = RowOrder.of(keys);
      inner.getAll(
          RowOrder.inOrder(keys, order),
          (i, piece, from, bytes, position, total) ->
              batch.take(order[i], piece, from, bytes, position, total));
      if (!options.inOrder()) {
        batch.keep(order);
        return;
      }
    } else if (options.method() == ProbeMethod.SINGLE) {
      probeOneByOne(keys);
    } else {
      inner.getAll(keys, batch::take);
    }
    batch.keep();
  }

  private void probeOneByOne(PackedBytes keys) {
    boolean needsValues = options.type().hasInnerValues();
    for (int i = 0; i < keys.count(); i++) {
      int row = i;
      if (needsValues) {
        inner.get(
            keys.get(row),
            (piece, from, bytes, position, total) ->
                batch.take(row, piece, from, bytes, position, total));
      } else if (inner.containsKey(keys.get(row))) {
        batch.match(row);
      }
    }
  }

  @Override
  public BytesJoinBatch batch() {
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
