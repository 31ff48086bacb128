// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;

/**
 * The band join: each row of the outer side has an interval, and its partners are the entries of an
 * index, the inner side, whose keys lie in it.
 *
 * {@snippet :
 * IntervalSource outer = IntervalSource.around(alarms, 60_000, 0); // the minute before each alarm
 * try (var join = new BandJoin(outer, events, JoinOptions.DEFAULT)) {
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
 * <p>Rows come out in the order of the outer side, and the partners of a row in the order of their
 * keys, in more than one batch if there are too many for one. A {@link JoinType#SEMI} or {@link
 * JoinType#ANTI} join gives out an outer row once, whatever the number of its partners, and a
 * {@link JoinType#LEFT} join gives out an outer row without a partner once. {@link JoinBatch#key}
 * is the lower end of a row's interval, {@link JoinBatch#innerKey} the key of the partner. A {@link
 * ResidualPredicate} is given the key of the partner.
 *
 * <p>With the methods {@code GROUP} and {@code AUTO}, the nodes on the paths of many intervals are
 * brought into the cache together, level by level, before each interval is read; with {@code
 * SINGLE} they are not. {@code SORTED} and {@code BUFFERED} are not supported. Entries are read by
 * {@linkplain LongCursor#nextRun runs}.
 *
 * <p>A join takes about 57 bytes per row of the batch size. Closing it does not close the index,
 * which may be changed between two calls of {@link #next}.
 */
public final class BandJoin implements BatchJoin<JoinBatch> {
  private final IntervalSource outer;
  private final LongIndex inner;
  private final JoinType type;
  private final ResidualPredicate residual;

  /** Whether the output has all entries of an interval. */
  private final boolean takesAll;

  private final PathWave wave;
  private final JoinBatch batch;
  private final JoinProgress progress = new JoinProgress();
  private final LongRun run = new LongRun();

  private final long[] lows;
  private final long[] highs;
  private final long[] payloads;
  private int rows;

  /** How many rows of the outer batch have been begun. */
  private int begun;

  /** Whether the row that was begun last may have more partners than were given out. */
  private boolean isInRow;

  /** Whether that row has a partner, as far as it was read. */
  private boolean hasPartner;

  /** The last key of that row's interval that was read. */
  private long lastKey;

  private LongCursor cursor;

  /**
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look for partners in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalArgumentException if the options have a method that this join does not support
   * @throws IllegalStateException if the index is closed
   */
  public BandJoin(IntervalSource outer, LongIndex inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    this.inner = Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    this.type = options.type();
    this.takesAll = type.hasInnerValues() && options.residual() == null;
    this.residual = Objects.requireNonNullElse(options.residual(), (_, _, _) -> true);
    this.wave = new PathWave(inner, options);
    int batchSize =
        options.batchSize() == JoinOptions.CHOSEN_BATCH_SIZE
            ? JoinOptions.SMALL_BATCH
            : options.batchSize();
    this.batch = JoinBatch.ofAnyKeys(type, batchSize);
    this.lows = new long[batchSize];
    this.highs = new long[batchSize];
    this.payloads = new long[batchSize];
    this.cursor = inner.cursor();
  }

  @Override
  public void open() {
    progress.open(outer::open);
    cursor = inner.cursor();
    rows = 0;
    begun = 0;
    isInRow = false;
  }

  @Override
  public boolean next() {
    progress.checkOpen();
    batch.clear();
    while (!progress.isAtEnd() && batch.count() == 0) {
      if (!isInRow && begun == rows) {
        rows = progress.read(outer.nextBatch(lows, highs, payloads), lows.length);
        begun = 0;
      }
      fill();
    }
    return progress.giveOut(batch.count());
  }

  /** Gives out rows until the batch is full, or those of the outer batch are done. */
  private void fill() {
    while (!batch.isFull()) {
      if (isInRow) {
        isInRow = cursor.higher(lastKey) && !readInterval(begun - 1);
      } else if (begun < rows) {
        beginRow();
      } else {
        return;
      }
    }
  }

  private void beginRow() {
    if (begun % PathWave.ROWS == 0) {
      wave.bring(lows, begun, Math.min(PathWave.ROWS, rows - begun));
    }
    int row = begun++;
    hasPartner = false;
    isInRow = lows[row] <= highs[row] && cursor.ceiling(lows[row]) && !readInterval(row);
    if (!isInRow && !hasPartner && type.keeps(false)) {
      batch.addUnmatched(lows[row], payloads[row], inner.missingValue());
    }
  }

  /**
   * Gives out a row with each of its partners, from the entry on which the cursor is.
   *
   * @return whether there are no more; otherwise the batch is full
   */
  private boolean readInterval(int row) {
    long high = highs[row];
    if (cursor.key() > high || isLast(row, cursor.key(), cursor.value())) {
      return true;
    }
    while (!batch.isFull()) {
      if (!cursor.nextRun(run)) {
        return true;
      }
      int count = countUpTo(high);
      if (takesAll) {
        int room = batch.room();
        int taken = Math.min(count, room);
        if (taken > 0) {
          batch.addAll(lows[row], payloads[row], run, taken);
          lastKey = run.key(taken - 1);
        }
        if (taken < count) {
          return false;
        }
      } else {
        for (int i = 0; i < count; i++) {
          if (batch.isFull()) {
            return false;
          }
          if (isLast(row, run.key(i), run.value(i))) {
            return true;
          }
        }
      }
      if (count < run.count()) {
        return true;
      }
    }
    return false;
  }

  /** Returns how many keys of the run are not above a key. */
  private int countUpTo(long high) {
    MemorySegment segment = run.segment();
    long offset = run.keysOffset();
    int count = 0;
    while (count < run.count() && segment.get(ValueLayout.JAVA_LONG, offset) <= high) {
      count++;
      offset += run.stride();
    }
    return count;
  }

  /** Takes an entry of a row's interval, and returns whether no other can change the output. */
  private boolean isLast(int row, long key, long value) {
    lastKey = key;
    if (!residual.test(key, payloads[row], value)) {
      return false;
    }
    hasPartner = true;
    if (type.keeps(true)) {
      batch.add(lows[row], payloads[row], key, value);
    }
    return !type.hasInnerValues();
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
