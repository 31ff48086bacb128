// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import org.jspecify.annotations.Nullable;

/**
 * Hands answers to a consumer and runs operations. What the consumer or an update throws is kept,
 * so that everything else is still answered: the first failure, because thousands may follow it.
 */
abstract class Answers implements AnswerSink {
  final AnswerConsumer consumer;
  final Operations operations;
  private final LongIndex index;
  private @Nullable Throwable failure;

  /** Probes answered and operations run so far. */
  long done;

  Answers(LongIndex index, Operations operations, AnswerConsumer consumer) {
    this.index = index;
    this.operations = operations;
    this.consumer = consumer;
  }

  /** Takes an entry that the operation found. */
  abstract void entry(long tag, long key, long value);

  /** Tells that the operation has found all its entries. */
  abstract void end(long tag);

  /** Returns the number of answers that are, or will be, kept back. */
  abstract int kept();

  /** Hands out what was kept back for the sake of order; all probes are answered. */
  abstract void deliver();

  @Override
  public final void operate(long key, long recordTag) {
    done++;
    long operand = operations.operand(recordTag);
    long tag = operations.tag(recordTag);
    guarded(
        () -> {
          switch (operations.kind(recordTag)) {
            case PUT -> index.set(key, operand);
            case DELETE -> index.delete(key);
            case FLOOR -> nearest(tag, index.cursor(), true, key);
            case CEILING -> nearest(tag, index.cursor(), false, key);
            case RANGE -> range(tag, index.cursor(), key, operand);
          }
        });
  }

  private void nearest(long tag, LongCursor cursor, boolean floor, long key) {
    if (floor ? cursor.floor(key) : cursor.ceiling(key)) {
      entry(tag, cursor.key(), cursor.value());
    }
    end(tag);
  }

  private void range(long tag, LongCursor cursor, long from, long to) {
    for (boolean more = cursor.ceiling(from); more && cursor.key() <= to; more = cursor.next()) {
      entry(tag, cursor.key(), cursor.value());
    }
    end(tag);
  }

  /** Runs something that may throw, and keeps the first failure. */
  final void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error thrown) {
      if (failure == null) {
        failure = thrown;
      }
    }
  }

  /** Throws the first failure that was kept, once. */
  final void throwFailure() {
    Throwable thrown = failure;
    failure = null;
    throwUnchecked(thrown);
  }

  /** Throws a failure that is an unchecked exception or an error; does nothing for null. */
  static void throwUnchecked(@Nullable Throwable thrown) {
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
  }
}
