// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.List;

/** An experiment that simulates some or all of what it shows, by a {@link Simulator}. */
public interface Simulated extends Experiment {

  /** Returns the pieces of work, in the order in which they are done. Does none of them. */
  List<SimulatedWork> works(Effort effort);
}
