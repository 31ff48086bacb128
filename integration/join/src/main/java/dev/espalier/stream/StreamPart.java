// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.batch.BufferStatistics;
import dev.espalier.batch.BufferedAccess;
import org.jspecify.annotations.Nullable;

/**
 * The part of the keys that one worker of a stream looks up and updates, and the buffered access
 * that it does it by. One thread at a time.
 */
final class StreamPart {
  /** Odd, and without a pattern: 2^64 divided by the golden ratio. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final BufferedAccess access;
  private final int number;
  private final int parts;
  private final KeptFailure kept;

  /** Probes and updates given to the access so far. */
  private long fed;

  /** What the access threw since the last flush: an update's failure, or that of the index. */
  private @Nullable Throwable thrown;

  /**
   * Makes one of several parts.
   *
   * @param number which one, from 0 on
   */
  StreamPart(BufferedAccess access, int number, int parts, KeptFailure kept) {
    this.access = access;
    this.number = number;
    this.parts = parts;
    this.kept = kept;
  }

  /** Tells whether a key is in this part. */
  boolean has(long key) {
    return parts == 1 || partOf(key, parts) == number;
  }

  /** Returns the part that a key is in: all have about as many, however keys are distributed. */
  static int partOf(long key, int parts) {
    long spread = (key * SPREAD) >>> 32;
    return (int) ((spread * parts) >>> 32);
  }

  /** Gives the access what is in this part, of some runs of a batch. */
  void feed(ProbeBatch batch, int fromRun, int toRun) {
    for (int run = fromRun; run < toRun; run++) {
      Kind kind = batch.kind(run);
      for (int i = batch.begin(run); i < batch.end(run); i++) {
        if (has(batch.key(i))) {
          add(kind, batch.key(i), batch.operand(i), batch.tag(i));
        }
      }
    }
  }

  private void add(Kind kind, long key, long operand, long tag) {
    fed++;
    try {
      switch (kind) {
        case GET -> access.get(key, tag);
        case FLOOR -> access.floor(key, tag);
        case CEILING -> access.ceiling(key, tag);
        case RANGE -> access.range(key, operand, tag);
        case PUT -> access.put(key, operand);
        case DELETE -> access.delete(key);
      }
    } catch (RuntimeException | Error failure) {
      note(failure);
      checkAllAdded(access.statistics());
    }
  }

  /** Answers all that was added. The failure of an update does not keep the others from it. */
  void flush() {
    try {
      access.flush();
    } catch (RuntimeException | Error failure) {
      note(failure);
    }
    BufferStatistics statistics = access.statistics();
    checkAllAdded(statistics);
    if (statistics.waiting() != 0) {
      throw broken();
    }
    if (thrown != null) {
      kept.keep(thrown);
      thrown = null;
    }
  }

  void close() {
    access.close();
  }

  private void note(Throwable failure) {
    if (thrown == null) {
      thrown = failure;
    }
  }

  private void checkAllAdded(BufferStatistics statistics) {
    if (statistics.probes() + statistics.updates() != fed) {
      throw broken();
    }
  }

  /** Returns why the access can't go on; throws an error as it is. */
  private RuntimeException broken() {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException exception
        ? exception
        : new IllegalStateException("the buffered access did not answer all probes");
  }
}
