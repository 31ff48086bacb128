// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;
import dev.espalier.batch.AnswerConsumer;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferedAccess;
import dev.espalier.batch.ProbeChoice;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.node.Bits;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks up the keys of a batch, and notes for each row whether it has a partner. */
final class BatchProbe implements AutoCloseable {
  private final LongIndex inner;
  private final JoinOptions options;
  private final JoinBatch batch;
  private final boolean needsValues;
  private final boolean chooses;
  private @Nullable BufferedAccess unordered;
  private @Nullable ProbeChoice choice;

  /** Which keys of the batch have a partner, by their rows. */
  private final long[] found;

  /** How many rows of the batch have been answered, in the order of the answers. */
  private int answered;

  BatchProbe(LongIndex inner, JoinOptions options, JoinBatch batch) {
    this.inner = inner;
    this.options = options;
    this.batch = batch;
    this.found = new long[Bits.words(batch.keys.length)];
    this.chooses = options.method() == ProbeMethod.AUTO && canChoose(inner);
    this.needsValues = options.type().hasInnerValues() || options.residual() != null;
  }

  /** Returns how many rows of the outer side to read at a time. */
  static int batchSize(LongIndex inner, JoinOptions options) {
    if (options.batchSize() != JoinOptions.CHOSEN_BATCH_SIZE) {
      return options.batchSize();
    }
    ProbeMethod method = options.method();
    if (method == ProbeMethod.AUTO && canChoose(inner)) {
      method = BatchLookup.of(inner).choose(JoinOptions.LARGE_BATCH).method();
    }
    return switch (method) {
      case SORTED, BUFFERED -> JoinOptions.LARGE_BATCH;
      case SINGLE, GROUP, AUTO -> JoinOptions.SMALL_BATCH;
    };
  }

  /**
   * Returns whether the join can choose the method. An index behind a lock chooses itself, under
   * the lock.
   */
  static boolean canChoose(LongIndex inner) {
    try {
      inner.batchLookup();
      return true;
    } catch (UnsupportedOperationException locked) {
      return false;
    }
  }

  /** Returns how the last batch was probed, if there was a choice. */
  Optional<ProbeChoice> choice() {
    return Optional.ofNullable(choice);
  }

  /** Answers the first {@code rows} rows of the batch, which may change their order. */
  void probe(int rows) {
    switch (methodFor(rows)) {
      case SINGLE -> probeOneByOne(rows);
      case GROUP, SORTED, AUTO -> probeTogether(options.method(), rows);
      case BUFFERED -> {
        if (options.inOrder() || hasNegativePayload(rows)) {
          probeTogether(ProbeMethod.BUFFERED, rows);
        } else {
          probeUnordered(rows);
        }
      }
    }
    applyResidual(rows);
  }

  private ProbeMethod methodFor(int rows) {
    if (!chooses) {
      return options.method();
    }
    choice = BatchLookup.of(inner).choose(rows);
    return choice.method();
  }

  private void probeOneByOne(int rows) {
    if (!needsValues) { // One lookup always tells.
      for (int row = 0; row < rows; row++) {
        batch.matched[row] = inner.containsKey(batch.keys[row]);
      }
      return;
    }
    for (int row = 0; row < rows; row++) {
      batch.matched[row] = inner.getAll(batch.keys, row, batch.values, row, 1, found) == 1;
    }
  }

  private void probeTogether(ProbeMethod method, int rows) {
    if (method == ProbeMethod.AUTO) {
      inner.getAll(batch.keys, 0, batch.values, 0, rows, found);
    } else {
      BatchLookup.of(inner).getAll(method, batch.keys, 0, batch.values, 0, rows, found);
    }
    findMatches(found, 0, 0, rows);
  }

  /** Notes whether rows have a partner, according to bits. */
  private void findMatches(long[] bits, int bitsFrom, int rowsFrom, int count) {
    for (int i = 0; i < count; i++) {
      batch.matched[rowsFrom + i] = Bits.has(bits, bitsFrom + i);
    }
  }

  // ---------------------------------------------------------------- in any order

  /** Payloads travel with the probes as their tags, which must not be negative. */
  private boolean hasNegativePayload(int rows) {
    for (int row = 0; row < rows; row++) {
      if (batch.payloads[row] < 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Looks up rows, and stores them in the order of the answers. Answers overwrite the batch from
   * the front. As no answer comes before its probe, what they overwrite has been read.
   */
  private void probeUnordered(int rows) {
    if (unordered == null) {
      BufferOptions buffers = BufferOptions.DEFAULT.withMostWaiting(batch.keys.length + 1);
      unordered = BufferedAccess.over(inner, buffers, new Rows());
    }
    answered = 0;
    for (int row = 0; row < rows; row++) {
      unordered.get(batch.keys[row], batch.payloads[row]);
    }
    unordered.flush();
  }

  private final class Rows implements AnswerConsumer.Bulk {
    @Override
    public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
      int count = to - from;
      System.arraycopy(keys, from, batch.keys, answered, count);
      System.arraycopy(tags, from, batch.payloads, answered, count);
      System.arraycopy(values, from, batch.values, answered, count);
      findMatches(found, from, answered, count);
      answered += count;
    }
  }

  private void applyResidual(int rows) {
    ResidualPredicate residual = options.residual();
    if (residual == null) {
      return;
    }
    long missing = inner.missingValue();
    for (int row = 0; row < rows; row++) {
      if (batch.matched[row]
          && !residual.test(batch.keys[row], batch.payloads[row], batch.values[row])) {
        batch.matched[row] = false;
        batch.values[row] = missing;
      }
    }
  }

  @Override
  public void close() {
    if (unordered != null) {
      unordered.close();
      unordered = null;
    }
  }
}
