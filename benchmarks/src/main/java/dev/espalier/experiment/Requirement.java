// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.prefetch.Prefetch;

/** What some experiments can't do without. */
public final class Requirement {
  private Requirement() {}

  /**
   * Checks that prefetches reach the processor: figures of the fallback would pass for those of
   * prefetching.
   *
   * @throws ExperimentException if they do not
   */
  public static void prefetch() {
    if (!Prefetch.isNative()) {
      throw new ExperimentException(
          "prefetching is what it measures, and is off: " + Prefetch.status());
    }
  }
}
