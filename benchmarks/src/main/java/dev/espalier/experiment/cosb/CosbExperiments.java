// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.experiment.Experiment;
import java.util.List;

/** The experiments of the paper on cache-oblivious streaming B-trees. */
public final class CosbExperiments {
  private CosbExperiments() {}

  /** Returns all of them. */
  public static List<Experiment> all() {
    return List.of(
        new InsertsBeyondMemory(),
        new SearchesInFiles(),
        new ScansOfFiles(),
        new GrowthInMemory(),
        new WriteLatencies(),
        new Tradeoff(),
        new TransfersByBlock());
  }
}
