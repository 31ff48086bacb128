// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** What a calibration takes its times from: real lookups and a clock, or earlier measurements. */
@FunctionalInterface
interface Stopwatch {
  /**
   * Looks up some keys, again and again if they are few, and returns the time per key, in
   * nanoseconds.
   *
   * @param method how; not {@link ProbeMethod#AUTO}
   * @param nodes the virtual nodes, if the method is {@link ProbeMethod#BUFFERED}
   * @param count number of keys that are looked up together
   * @param round how many times the same was timed before
   */
  double nanos(ProbeMethod method, VirtualNodes nodes, int count, int round);
}
