// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.simulation.HierarchyCounters;
import java.util.Map;

/**
 * What a simulation counted.
 *
 * @param bySetting one for each piece of work, in its order
 */
public record SimulatedCounts(Map<String, HierarchyCounters> bySetting) {

  /**
   * Returns what was counted for a piece of work.
   *
   * @throws IllegalArgumentException if there was none of that setting
   */
  public HierarchyCounters of(String setting) {
    HierarchyCounters counters = bySetting.get(setting);
    if (counters == null) {
      throw new IllegalArgumentException("nothing was simulated as " + setting);
    }
    return counters;
  }
}
