// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.bytes;

import dev.espalier.experiment.Experiment;
import java.util.List;

/** The experiments with keys of any length. */
public final class BytesExperiments {
  private BytesExperiments() {}

  /** Returns all of them. */
  public static List<Experiment> all() {
    return List.of(new StringsAgainstTreeMap());
  }
}
