// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

/**
 * What a {@link TwoLevelMemory} has counted since it was made or last reset, in blocks.
 *
 * @param in blocks brought in, because something in them was read or written
 * @param out changed blocks that had to make way for others
 */
public record Transfers(long in, long out) {

  /** Returns all transfers, which is what the model's bounds are about. */
  public long sum() {
    return in + out;
  }
}
