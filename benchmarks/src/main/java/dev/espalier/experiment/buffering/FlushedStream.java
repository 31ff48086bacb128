// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.LongIndex;
import dev.espalier.batch.BufferedAccess;

/**
 * A stream of probes through buffers of a fixed size, which are flushed whenever an interval has
 * passed (6.7). The paper has a thread for that; here the loop looks at the clock itself.
 */
final class FlushedStream implements AutoCloseable {
  /** Probes between two looks at the clock: few microseconds of work. */
  static final int STEP = 64;

  /** For a stream that is flushed at its end alone. */
  static final long NEVER = Long.MAX_VALUE;

  private final BufferedAccess access;
  private final SumOfValues answers = new SumOfValues();
  private final long[] keys;

  /** Told how many answers there are, at every look at the clock. */
  @FunctionalInterface
  interface Watcher {
    void see(long nanos, long answers);
  }

  /**
   * Makes a stream that has not begun.
   *
   * @param entries of the index
   */
  FlushedStream(LongIndex index, int entries, long[] keys) {
    this.keys = keys;
    this.access = BufferedAccess.over(index, BuiltTree.fixed(entries), answers);
  }

  /** Makes all probes and returns the sum of their values. */
  long run(long intervalNanos, Watcher watcher) {
    answers.clear();
    long begin = System.nanoTime();
    long flushed = 0;
    for (int i = 0; i < keys.length; i++) {
      access.get(keys[i], i);
      if (i % STEP == STEP - 1) {
        long now = System.nanoTime() - begin;
        watcher.see(now, answers.answers);
        if (now - flushed >= intervalNanos) {
          access.flush();
          flushed = now;
          watcher.see(System.nanoTime() - begin, answers.answers);
        }
      }
    }
    access.flush();
    watcher.see(System.nanoTime() - begin, answers.answers);
    return answers.sum;
  }

  @Override
  public void close() {
    access.close();
  }
}
