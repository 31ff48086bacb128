// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * One figure of a run, held against what the paper says or what this library aims at.
 *
 * @param name what the figure is
 * @param kind whether the same run would give it again
 * @param value the figure
 * @param target the values that pass
 */
public record Check(String name, Kind kind, double value, Target target) {

  /** Whether a run gives the same value again. */
  public enum Kind {
    /** Computed, counted or simulated: the same on every machine. */
    DETERMINISTIC,
    /** Taken with a clock: a noisy machine may miss the target once and reach it the next time. */
    TIMING
  }

  /** Refuses what is no number. */
  public Check {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("the value of '" + name + "' is " + value);
    }
  }

  /** Makes a check of a figure that is the same on every machine. */
  public static Check deterministic(String name, double value, Target target) {
    return new Check(name, Kind.DETERMINISTIC, value, target);
  }

  /** Makes a check of a figure taken with a clock. */
  public static Check timing(String name, double value, Target target) {
    return new Check(name, Kind.TIMING, value, target);
  }

  /** Tells whether the value meets the target. */
  public boolean passes() {
    return target.accepts(value);
  }

  /** Tells whether this is a failure of the program, and not of a noisy machine. */
  public boolean isFailure() {
    return kind == Kind.DETERMINISTIC && !passes();
  }
}
