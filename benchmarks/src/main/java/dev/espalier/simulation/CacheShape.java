// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

/**
 * One level of cache.
 *
 * @param bytes size
 * @param ways associativity: lines per set; 1 for a direct-mapped cache
 */
public record CacheShape(int bytes, int ways) {

  /** Checks the parts. */
  public CacheShape {
    Shapes.checkPositive("bytes", bytes);
    Shapes.checkPositive("ways", ways);
  }

  /** Makes it, empty; its number of sets must be a power of two. */
  LruSets ofLines(int lineBytes) {
    return LruSets.of(bytes / lineBytes, ways, "a cache of " + bytes + " bytes");
  }
}
