// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/** Told how far an experiment has come. */
@FunctionalInterface
public interface Progress {
  /** Told and keeps it to itself. */
  Progress NONE = (task, fraction) -> {};

  /**
   * Takes notice.
   *
   * @param task what is done at the moment
   * @param fraction how much of the work is done, from 0 to 1
   */
  void show(String task, double fraction);

  /**
   * Returns the progress of a part of the work.
   *
   * @param part which one, from 0
   * @param parts how many there are, all alike
   */
  default Progress part(int part, int parts) {
    return (task, fraction) -> show(task, (part + fraction) / parts);
  }
}
