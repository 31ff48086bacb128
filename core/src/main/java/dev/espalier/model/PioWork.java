// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The work for which a PIO B-tree is chosen.
 *
 * @param entries how many entries it will have, at least 1
 * @param insertRatio the share of updates among single-key operations, from 0 to 1: R_i
 * @param memoryBytes memory for pool and operation queue together, at least {@link
 *     #LEAST_MEMORY_BYTES}
 */
public record PioWork(long entries, double insertRatio, long memoryBytes) {
  /** The least memory, in bytes: less is hardly a pool. */
  public static final long LEAST_MEMORY_BYTES = 128 << 10;

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public PioWork {
    if (entries < 1) {
      throw new IllegalArgumentException("entries is " + entries + "; it must be positive");
    }
    if (!(insertRatio >= 0 && insertRatio <= 1)) {
      throw new IllegalArgumentException(
          "insertRatio is " + insertRatio + "; it must be from 0 to 1");
    }
    if (memoryBytes < LEAST_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "memoryBytes is %d; it must be at least %d".formatted(memoryBytes, LEAST_MEMORY_BYTES));
    }
  }
}
