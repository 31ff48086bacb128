// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** The cache line: the unit in which nodes are sized, aligned, referenced and prefetched. */
public final class CacheLine {
  /** Bytes in a cache line of every x86-64 and nearly every aarch64 processor. */
  public static final int BYTES = 64;

  /** The number of a line, shifted left by this, is its offset in bytes. */
  public static final int SHIFT = 6;

  /** Longs in a cache line. */
  public static final int LONGS = BYTES / Long.BYTES;

  private CacheLine() {}
}
