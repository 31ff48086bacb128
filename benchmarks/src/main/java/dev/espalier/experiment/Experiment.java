// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/** A table or figure of a paper, run again. */
public interface Experiment {

  /** Returns what it is about, in the paper and here. */
  Description description();

  /**
   * Runs it: a few seconds with {@link Effort#QUICK}, some minutes at most with {@link
   * Effort#FULL}.
   *
   * @throws ExperimentException if it can't be run here, for a reason that one line explains
   */
  Outcome run(Run run);
}
