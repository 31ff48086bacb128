// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * How much a run takes upon itself.
 *
 * @param entries entries in a tree
 * @param probes lookups in one round
 * @param rounds rounds that a median is taken of
 */
public record Effort(int entries, int probes, int rounds) {
  /**
   * Ten times the entries of the thesis, whose million would fit into the caches of today. Minutes
   * for an experiment at most.
   */
  public static final Effort FULL = new Effort(10_000_000, 1_000_000, 7);

  /** For a first look: a few seconds for an experiment, much of it in the caches. */
  public static final Effort QUICK = new Effort(500_000, 100_000, 3);

  /** Checks the parts. */
  public Effort {
    if (entries < 1 || probes < 1 || rounds < 1) {
      throw new IllegalArgumentException(
          "entries, probes and rounds must be positive, not %d, %d and %d"
              .formatted(entries, probes, rounds));
    }
  }
}
