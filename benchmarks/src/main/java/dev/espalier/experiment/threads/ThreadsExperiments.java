// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.experiment.Experiment;
import java.util.List;

/** The experiments on threads that use one index at once. */
public final class ThreadsExperiments {
  private ThreadsExperiments() {}

  /** Returns all of them. */
  public static List<Experiment> all() {
    return List.of(
        ThreadsInMemory.lookups(),
        ThreadsInMemory.mixed(),
        new ThreadsSkewed(),
        new ThreadsLocked(),
        new ThreadsLatency(),
        new ThreadsPartitioned(),
        new ThreadsJobs(),
        new ThreadsSnapshot());
  }
}
