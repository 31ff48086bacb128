// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.PoolCounters;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a buffer pool did in a pass of a join, in the mean of all passes.
 *
 * @param hits pins that found their page
 * @param misses pins that had to read their page
 * @param waves batches of reads that were handed to the device at once
 * @param meanDepth pages read per wave
 */
record PoolUse(double hits, double misses, double waves, double meanDepth) {

  /** Returns what was done from one moment to another. */
  static PoolUse between(PoolCounters before, PoolCounters after, int passes) {
    double misses = after.misses() - before.misses();
    double waves = after.readWaves() - before.readWaves();
    double read = misses + after.readAheads() - before.readAheads();
    return new PoolUse(
        (double) (after.hits() - before.hits()) / passes,
        misses / passes,
        waves / passes,
        waves == 0 ? 0 : read / waves);
  }

  Map<String, Object> toJson() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("hits", hits);
    object.put("misses", misses);
    object.put("waves", waves);
    object.put("meanDepth", meanDepth);
    return object;
  }
}
