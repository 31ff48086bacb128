// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.bytes.IdCursor;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.SecondaryIndex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;

/**
 * The index-nested-loop join whose inner side has any number of rows for a key: looks up the key of
 * each row of the outer side in a {@link SecondaryIndex}, and gives out a row for each of its ids.
 * An operator in the iterator model, like {@link IndexNestedLoopJoin}:
 *
 * {@snippet :
 * try (var join = new SecondaryIndexJoin(outer, customersByCity, JoinOptions.DEFAULT)) {
 *   join.open();
 *   while (join.next()) {
 *     IdJoinBatch rows = join.batch();
 *     for (int row = 0; row < rows.count(); row++) {
 *       consume(rows.outerPayload(row), rows.id(row));
 *     }
 *   }
 * }
 * }
 *
 * <p>Keys of the outer side are bytes, as the codec of the index encodes them. The ids of a key
 * come in ascending order, and in more than one batch if there are too many for one. A {@link
 * JoinType#SEMI} or {@link JoinType#ANTI} join gives out an outer row once, whatever the number of
 * its partners, and a {@link JoinType#LEFT} join gives out an outer row without a partner once.
 *
 * <p>The method {@code SINGLE} looks up the keys of a batch in the order of the rows; {@code
 * SORTED} and {@code AUTO} look them up in key order, which is faster if the index is larger than
 * the cache. Rows come out in the order in which keys are looked up; {@code SORTED} and {@code
 * AUTO} need options that allow any order; if these do not, {@code AUTO} is the same as {@code
 * SINGLE}. {@code GROUP}, {@code BUFFERED} and residual predicates are not supported.
 *
 * <p>Closing the join does not close the index, which may be changed between two calls of {@link
 * #next}. A join is used by one thread at a time; several joins may read the same index.
 */
public final class SecondaryIndexJoin implements BatchJoin<IdJoinBatch> {
  private static final PackedBytes NO_KEYS =
      new PackedBytes(MemorySegment.NULL, MemorySegment.ofArray(new int[1]), 0);

  private final BytesOuterSource outer;
  private final SecondaryIndex<?> inner;
  private final JoinType type;
  private final boolean sorts;
  private final long[] payloads;
  private final IdJoinBatch batch;
  private final JoinProgress progress = new JoinProgress();

  private PackedBytes keys = NO_KEYS;
  private int[] order = {};

  /** How many rows of the outer batch have been begun. */
  private int begun;

  /** The row that was begun last, whose ids are given out. */
  private int outerRow;

  private boolean isInRow;

  private IdCursor cursor;

  /**
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look up keys in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalArgumentException if the options have a residual predicate, or a method that
   *     this join does not support
   * @throws IllegalStateException if the entries of the index are closed
   */
  public SecondaryIndexJoin(BytesOuterSource outer, SecondaryIndex<?> inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    this.inner = Objects.requireNonNull(inner, "inner is null");
    BytesIndexJoin.checkForBytes(options);
    this.type = options.type();
    this.sorts = sorts(options);
    JoinOptions probing = options.withMethod(sorts ? ProbeMethod.SORTED : ProbeMethod.SINGLE);
    this.payloads = new long[BytesIndexJoin.batchSize(probing)];
    this.batch = new IdJoinBatch(type, payloads, NO_KEYS);
    this.cursor = inner.idCursor();
  }

  private static boolean sorts(JoinOptions options) {
    return switch (options.method()) {
      case SINGLE -> false;
      case AUTO -> !options.inOrder();
      case SORTED -> {
        if (options.inOrder()) {
          throw new IllegalArgumentException(
              "method is SORTED, which needs options that allow rows in any order");
        }
        yield true;
      }
      case GROUP, BUFFERED ->
          throw new IllegalArgumentException(
              "method is %s; a join over a secondary index has SINGLE, SORTED and AUTO"
                  .formatted(options.method()));
    };
  }

  @Override
  public void open() {
    progress.open(outer::open);
    cursor = inner.idCursor();
    keys = NO_KEYS;
    begun = 0;
    isInRow = false;
  }

  @Override
  public boolean next() {
    progress.checkOpen();
    batch.begin(keys);
    while (!progress.isAtEnd() && batch.count() == 0) {
      if (!isInRow && begun == keys.count()) {
        readOuter();
      }
      fill();
    }
    return progress.giveOut(batch.count());
  }

  private void readOuter() {
    keys = outer.nextBatch(payloads);
    boolean hasRows = progress.read(keys.count(), payloads.length) > 0;
    batch.begin(keys);
    begun = 0;
    if (hasRows && sorts) {
      order = RowOrder.of(keys);
    }
  }

  /** Gives out rows until the batch is full, or those of the outer batch are done. */
  private void fill() {
    while (!batch.isFull()) {
      if (isInRow) {
        isInRow = cursor.next();
        if (isInRow) {
          batch.addMatched(outerRow, cursor.id());
        }
      } else if (begun == keys.count()) {
        return;
      } else {
        outerRow = sorts ? order[begun] : begun;
        begun++;
        begin();
      }
    }
  }

  /** Begins an outer row: gives it out, or its first id. */
  private void begin() {
    cursor.seek(keys.get(outerRow).toArray(ValueLayout.JAVA_BYTE));
    boolean isMatched = cursor.next();
    if (!type.keeps(isMatched)) {
      return;
    }
    if (isMatched && type.hasInnerValues()) {
      batch.addMatched(outerRow, cursor.id());
      isInRow = true;
    } else if (isMatched) {
      batch.addMatched(outerRow, 0);
    } else {
      batch.addUnmatched(outerRow);
    }
  }

  @Override
  public IdJoinBatch batch() {
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
