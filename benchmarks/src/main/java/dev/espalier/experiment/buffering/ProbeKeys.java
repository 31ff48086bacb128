// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import java.util.HashMap;
import java.util.Map;

/** The keys of the probes of one run, made once. */
final class ProbeKeys {
  private final int keys;
  private final Map<Input, long[]> made = new HashMap<>();

  private record Input(ProbeOrder order, int count) {}

  /** Makes none yet, for trees of so many entries. */
  ProbeKeys(int keys) {
    this.keys = keys;
  }

  /** Returns the probes of a setting. */
  long[] of(ProbeSetting setting) {
    return made.computeIfAbsent(
        new Input(setting.order(), setting.count(keys)),
        input -> input.order.probes(keys, input.count));
  }
}
