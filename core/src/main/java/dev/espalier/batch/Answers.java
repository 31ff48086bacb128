// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import org.jspecify.annotations.Nullable;

/**
 * Passes answers to a consumer and runs operations. If the consumer or an update throws, the first
 * failure is kept and everything else is still answered: thousands of failures may follow.
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

  /** Receives an entry that an operation found. */
  abstract void entry(long tag, long key, long value);

  /** Called when an operation has found all its entries. */
  abstract void end(long tag);

  /** Returns the number of answers that are, or will be, held back. */
  abstract int kept();

  /** Passes on what was held back to keep the order. Called when all probes are answered. */
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

  /** Runs work that may throw, and keeps the first failure. */
  final void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error thrown) {
      if (failure == null) {
        failure = thrown;
      }
    }
  }

  /** Throws the failure that was kept, if there is one, and forgets it. */
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
