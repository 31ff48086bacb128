// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.ArrayList;
import java.util.List;

/**
 * How values are spread along an axis: evenly from 0 on, or by their logarithms if the largest is
 * more than ten times the smallest, which would else be hard to tell from 0.
 *
 * @param least the value at the beginning of the axis, a tick
 * @param most the value at its end, a tick
 */
record Scale(boolean logarithmic, double least, double most) {
  private static final double LARGEST_LINEAR_RATIO = 10;

  /** More ticks than these are not labelled, but the powers of ten alone. */
  private static final int MOST_LABELS = 11;

  /** A linear axis has at most so many steps. */
  private static final int MOST_STEPS = 6;

  private static final double[] STEPS = {1, 2, 5};

  /** Against rounding: ticks this close to the end of an axis belong to it. */
  private static final double TOLERANCE = 1e-9;

  /** Returns a scale on which all values find room; 1 and 10 if there is none. */
  static Scale of(double[] values) {
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (double value : values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return least > 0 && most > LARGEST_LINEAR_RATIO * least
        ? logarithmic(least, most)
        : linear(most);
  }

  /** Returns a scale from 0 on. */
  static Scale linear(double most) {
    double end = most > 0 ? most : 1;
    double step = stepOver(end / MOST_STEPS);
    return new Scale(false, 0, step * Math.ceil(end / step - TOLERANCE));
  }

  private static Scale logarithmic(double least, double most) {
    return new Scale(true, 1 / stepOver(1 / least), stepOver(most));
  }

  /** Returns the least of 1, 2 and 5 times a power of ten that is not below a value. */
  private static double stepOver(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double step : STEPS) {
      if (step * power >= value * (1 - TOLERANCE)) {
        return step * power;
      }
    }
    return 10 * power;
  }

  /** Returns where a value lies: 0 at the beginning of the axis, 1 at its end. */
  double position(double value) {
    return logarithmic
        ? Math.log(value / least) / Math.log(most / least)
        : (value - least) / (most - least);
  }

  /** Returns the values that are labelled, in ascending order. */
  List<Double> ticks() {
    return logarithmic ? logarithmicTicks() : linearTicks();
  }

  private List<Double> linearTicks() {
    double step = stepOver((most - least) / MOST_STEPS);
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; i * step <= most * (1 + TOLERANCE); i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  private List<Double> logarithmicTicks() {
    List<Double> ticks = new ArrayList<>();
    List<Double> powers = new ArrayList<>();
    for (int exponent = (int) Math.floor(Math.log10(least) + TOLERANCE);
        Math.pow(10, exponent) <= most * (1 + TOLERANCE);
        exponent++) {
      for (double step : STEPS) {
        double tick = step * Math.pow(10, exponent);
        if (tick >= least * (1 - TOLERANCE) && tick <= most * (1 + TOLERANCE)) {
          ticks.add(tick);
          if (step == 1) {
            powers.add(tick);
          }
        }
      }
    }
    return ticks.size() <= MOST_LABELS ? ticks : powers;
  }
}
