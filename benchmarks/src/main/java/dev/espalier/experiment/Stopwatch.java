// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Times pieces of work against one another: after a round that warms all of them up, they run in
 * turn, A B A B, so that noise of the machine falls on all; the median of the rounds counts.
 */
public final class Stopwatch {
  /** Rounds without a clock: the first compiles, the second runs what was compiled. */
  private static final int WARM_UP_ROUNDS = 2;

  /**
   * A piece of work.
   *
   * @param setting what tells it from the others; shown while it runs
   * @param operations how many operations one call does
   * @param setUp done before every call of {@code body}, without a clock
   * @param body does the work; its answer is to be the same at every call
   */
  public record Work<S>(S setting, long operations, Runnable setUp, LongSupplier body) {

    /** Makes a piece of work that can be repeated as it is. */
    public Work(S setting, long operations, LongSupplier body) {
      this(setting, operations, () -> {}, body);
    }
  }

  /**
   * The time one piece of work took.
   *
   * @param setting of the work
   * @param nanos nanoseconds per operation, the median of all rounds
   * @param answer what its body returned at first
   * @param isSteady whether it returned the same at every call
   */
  public record Time<S>(S setting, double nanos, long answer, boolean isSteady) {

    /** Makes a time of work that returned the same at every call. */
    public Time(S setting, double nanos, long answer) {
      this(setting, nanos, answer, true);
    }

    /** Returns 1 if any call returned something else than expected, or 0. */
    public int wrong(long expected) {
      return isSteady && answer == expected ? 0 : 1;
    }
  }

  private Stopwatch() {}

  /**
   * Times all of {@code works}.
   *
   * @return a time for each piece of work, in the same order
   */
  public static <S> List<Time<S>> time(List<Work<S>> works, int rounds, Progress progress) {
    long[] answers = new long[works.size()];
    boolean[] isFickle = new boolean[works.size()];
    double[][] nanos = new double[works.size()][rounds];
    int steps = (WARM_UP_ROUNDS + rounds) * works.size();
    int step = 0;
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (int i = 0; i < works.size(); i++) {
        Work<S> work = works.get(i);
        progress.show(work.setting.toString(), (double) step++ / steps);
        work.setUp.run();
        long start = System.nanoTime();
        long answer = work.body.getAsLong();
        long time = System.nanoTime() - start;
        if (round == -WARM_UP_ROUNDS) {
          answers[i] = answer;
        }
        isFickle[i] |= answer != answers[i];
        if (round >= 0) {
          nanos[i][round] = (double) time / work.operations;
        }
      }
    }
    List<Time<S>> times = new ArrayList<>();
    for (int i = 0; i < works.size(); i++) {
      times.add(new Time<>(works.get(i).setting, median(nanos[i]), answers[i], !isFickle[i]));
    }
    return times;
  }

  /** Returns the middle value, or the mean of the two in the middle. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
