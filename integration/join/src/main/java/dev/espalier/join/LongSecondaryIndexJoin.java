// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.Objects;

/**
 * The index-nested-loop join whose inner side has any number of rows for a long key: looks up the
 * key of each row of the outer side in a {@link LongSecondaryIndex}, and gives out a row for each
 * of its ids.
 *
 * {@snippet :
 * try (var join = new LongSecondaryIndexJoin(customers, ordersByCustomer, JoinOptions.DEFAULT)) {
 *   join.open();
 *   while (join.next()) {
 *     JoinBatch rows = join.batch();
 *     for (int row = 0; row < rows.count(); row++) {
 *       consume(rows.outerPayload(row), rows.innerValue(row));
 *     }
 *   }
 * }
 * }
 *
 * <p>{@link JoinBatch#innerValue} is the id. The ids of a key come in ascending order, and in more
 * than one batch if there are too many for one. A {@link JoinType#SEMI} or {@link JoinType#ANTI}
 * join gives out an outer row once, whatever the number of its partners, and a {@link
 * JoinType#LEFT} join gives out an outer row without a partner once. A {@link ResidualPredicate} is
 * given each id.
 *
 * <p>Keys are looked up by the methods of an {@link IndexNestedLoopJoin}, together unless the
 * options say otherwise, and then the ids of many keys are read together. Rows come out in the
 * order of the outer side, unless the options allow any order.
 *
 * <p>A join takes about 50 bytes per row of the batch size. Closing it does not close the index,
 * which may be changed between two calls of {@link #next}. A row without a partner has the {@code
 * missingValue()} of the index of keys for its id.
 */
public final class LongSecondaryIndexJoin implements BatchJoin<JoinBatch> {
  /** How many rows have the counts of their ids read together: few enough to stay in the cache. */
  private static final int WAVE = 256;

  private final OuterSource outer;
  private final LongSecondaryIndex inner;
  private final IdRuns runs;
  private final JoinType type;
  private final ResidualPredicate residual;
  private final boolean readsRuns;
  private final BatchProbe probe;
  private final JoinProgress progress = new JoinProgress();

  /** The rows of the outer side, with the runs of their keys as values. */
  private final JoinBatch probed;

  /** The rows of the output. */
  private final JoinBatch batch;

  /** How many ids the rows of a wave have. */
  private final int[] counts = new int[WAVE];

  private final long[] found = new long[1];

  /** How many changes the index had had when the rows were looked up. */
  private long changesSeen;

  private int rows;

  /** How many rows of the outer batch have been begun. */
  private int begun;

  /** Whether the row that was begun last may have more partners than were given out. */
  private boolean isInRow;

  /** How many ids of that row were read, and the last of them. */
  private int idsRead;

  private long lastId;

  /** Whether one of them is a partner. */
  private boolean hasPartner;

  /**
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look up keys in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalStateException if the index is closed and the options leave the batch size to
   *     the join
   */
  public LongSecondaryIndexJoin(OuterSource outer, LongSecondaryIndex inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    this.inner = Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    this.runs = inner.runs();
    this.type = options.type();
    this.residual = Objects.requireNonNullElse(options.residual(), (_, _, _) -> true);
    this.readsRuns = type.hasInnerValues() || options.residual() != null;
    int batchSize = BatchProbe.batchSize(inner.keys(), options);
    JoinOptions probing = options.withResidual(null).withType(readsRuns ? JoinType.LEFT : type);
    this.probed = JoinBatch.ofEqualKeys(probing.type(), batchSize);
    this.batch = readsRuns ? JoinBatch.ofEqualKeys(type, batchSize) : probed;
    this.probe = new BatchProbe(inner.keys(), probing, probed);
  }

  @Override
  public void open() {
    progress.open(outer::open);
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
        readOuter();
      }
      if (readsRuns) {
        fill();
      } else {
        batch.keep(rows);
        begun = rows;
      }
    }
    return progress.giveOut(batch.count());
  }

  private void readOuter() {
    rows = progress.read(outer.nextBatch(probed.keys, probed.payloads), probed.keys.length);
    begun = 0;
    changesSeen = inner.changes();
    if (rows > 0) {
      probe.probe(rows);
    }
  }

  /** Gives out rows until the batch is full, or those of the outer batch are done. */
  private void fill() {
    while (!batch.isFull()) {
      if (isInRow) {
        isInRow = !goOn(begun - 1);
      } else if (begun < rows) {
        beginRow();
      } else {
        return;
      }
    }
  }

  private void beginRow() {
    if (begun % WAVE == 0) {
      count(begun, Math.min(begun + WAVE, rows));
    }
    int row = begun++;
    idsRead = 0;
    hasPartner = false;
    if (inner.changes() != changesSeen) {
      lookUpAgain(row);
    }
    isInRow = !readIds(row, probed.values[row], counts[row % WAVE]);
    if (!isInRow && !hasPartner && type.keeps(false)) {
      batch.addUnmatched(probed.keys[row], probed.payloads[row], inner.keys().missingValue());
    }
  }

  /** Reads how many ids each row has: the cache misses of these loads overlap. */
  private void count(int from, int to) {
    boolean isFresh = inner.changes() == changesSeen;
    for (int row = from; row < to; row++) {
      counts[row % WAVE] = isFresh && probed.matched[row] ? runs.count(probed.values[row]) : 0;
    }
  }

  /** Goes on with a row some of whose ids have been given out, and may have changed meanwhile. */
  private boolean goOn(int row) {
    if (inner.changes() != changesSeen) {
      lookUpAgain(row);
      int count = counts[row % WAVE];
      idsRead = count == 0 ? 0 : runs.lowerBound(probed.values[row], lastId);
      if (count > 0 && runs.isAt(probed.values[row], idsRead, lastId)) {
        idsRead++;
      }
    }
    return readIds(row, probed.values[row], counts[row % WAVE]);
  }

  private void lookUpAgain(int row) {
    boolean isThere = inner.keys().find(probed.keys[row], found);
    probed.values[row] = found[0];
    counts[row % WAVE] = isThere ? runs.count(found[0]) : 0;
  }

  /**
   * Gives out a row with each of its ids.
   *
   * @return whether there are no more; otherwise the batch is full
   */
  private boolean readIds(int row, long run, int count) {
    long key = probed.keys[row];
    long payload = probed.payloads[row];
    while (idsRead < count) {
      if (batch.isFull()) {
        return false;
      }
      lastId = runs.id(run, idsRead++);
      if (residual.test(key, payload, lastId)) {
        hasPartner = true;
        if (type.keeps(true)) {
          batch.add(key, payload, key, lastId);
        }
        if (!type.hasInnerValues()) {
          return true;
        }
      }
    }
    return true;
  }

  @Override
  public JoinBatch batch() {
    return batch;
  }

  @Override
  public JoinStatistics statistics() {
    return progress.statistics(probe.choice());
  }

  @Override
  public void close() {
    if (progress.close()) {
      batch.clear();
      probe.close();
      outer.close();
    }
  }
}
