// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.simulation.HierarchyCounters;
import java.util.List;
import java.util.Map;

/**
 * What a simulation counted.
 *
 * @param bySetting the counts of each piece of work, in its order
 */
public record SimulatedCounts(Map<String, List<Long>> bySetting) {

  /**
   * Returns what {@link SimulatedWork#counted} counted for a piece of work.
   *
   * @throws IllegalArgumentException if there was none of that setting
   */
  public HierarchyCounters of(String setting) {
    return SimulatedWork.hierarchy(numbers(setting));
  }

  /**
   * Checks that no piece of work has answered wrongly; the last that each counted is its wrong
   * answers, as {@link SimulatedWork#checked} has it.
   *
   * @param what the work is done on, in the plural
   */
  public Check answers(String what) {
    long wrong = bySetting.values().stream().filter(counts -> counts.getLast() != 0).count();
    return Check.deterministic(what + " that answered wrongly", (double) wrong, Target.exactly(0));
  }

  /** Returns what was counted for a piece of work, in the order in which it returned it. */
  public List<Long> numbers(String setting) {
    List<Long> counts = bySetting.get(setting);
    if (counts == null) {
      throw new IllegalArgumentException("nothing was simulated as " + setting);
    }
    return counts;
  }
}
