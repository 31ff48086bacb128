// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.Arrays;

/**
 * Probes and updates in the order in which they were taken, on their way to the worker. Those of
 * one kind that were taken at about the same time are a run, so that kind and time are kept once
 * for all of them.
 */
final class ProbeBatch {
  private static final int FIRST_PROBES = 256;
  private static final int FIRST_RUNS = 16;

  private final long timeResolution;

  private long[] keys = new long[FIRST_PROBES];

  /** The value to put, or where a range ends. */
  private long[] operands = new long[FIRST_PROBES];

  private long[] tags = new long[FIRST_PROBES];
  private int count;

  private Kind[] runKinds = new Kind[FIRST_RUNS];
  private long[] runTimes = new long[FIRST_RUNS];
  private int[] runEnds = new int[FIRST_RUNS];
  private int runs;

  /**
   * Makes an empty batch.
   *
   * @param timeResolution how far apart, in nanoseconds, the times of one run may be
   */
  ProbeBatch(long timeResolution) {
    this.timeResolution = timeResolution;
  }

  static void checkTag(long tag) {
    if (tag < 0) {
      throw new IllegalArgumentException("tag is " + tag + "; it must not be negative");
    }
  }

  /** Adds one probe or update, taken at a time that is not before those of the others. */
  void add(Kind kind, long key, long operand, long tag, long time) {
    reserve(1);
    keys[count] = key;
    operands[count] = operand;
    tags[count] = tag;
    count++;
    endRun(kind, time);
  }

  /** Adds probes for one key each. */
  void addGets(long[] theirKeys, long[] theirTags, int from, int some, long time) {
    reserve(some);
    System.arraycopy(theirKeys, from, keys, count, some);
    System.arraycopy(theirTags, from, tags, count, some);
    count += some;
    endRun(Kind.GET, time);
  }

  private void reserve(int more) {
    if (count + more > keys.length) {
      int length = Math.max(2 * keys.length, count + more);
      keys = Arrays.copyOf(keys, length);
      operands = Arrays.copyOf(operands, length);
      tags = Arrays.copyOf(tags, length);
    }
  }

  /** Lets the last run, or a new one, end behind what was added last. */
  private void endRun(Kind kind, long time) {
    int last = runs - 1;
    if (last < 0 || runKinds[last] != kind || time - runTimes[last] > timeResolution) {
      last = runs++;
      if (last == runKinds.length) {
        runKinds = Arrays.copyOf(runKinds, 2 * last);
        runTimes = Arrays.copyOf(runTimes, 2 * last);
        runEnds = Arrays.copyOf(runEnds, 2 * last);
      }
      runKinds[last] = kind;
      runTimes[last] = time;
    }
    runEnds[last] = count;
  }

  int count() {
    return count;
  }

  long key(int i) {
    return keys[i];
  }

  long operand(int i) {
    return operands[i];
  }

  long tag(int i) {
    return tags[i];
  }

  int runs() {
    return runs;
  }

  Kind kind(int run) {
    return runKinds[run];
  }

  /** Returns when the first of a run was taken. */
  long time(int run) {
    return runTimes[run];
  }

  /** Returns where a run begins. */
  int begin(int run) {
    return run == 0 ? 0 : runEnds[run - 1];
  }

  /** Returns where a run ends, which is where the next one begins. */
  int end(int run) {
    return runEnds[run];
  }

  void clear() {
    count = 0;
    runs = 0;
  }
}
