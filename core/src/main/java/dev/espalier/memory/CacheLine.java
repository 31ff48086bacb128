// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** The unit in which nodes are sized, aligned, referred to and prefetched. */
public final class CacheLine {
  /** Bytes in a cache line of every x86-64 and nearly every aarch64 processor. */
  public static final int BYTES = 64;

  /** A byte offset of a line is its number shifted left by this. */
  public static final int SHIFT = 6;

  /** Longs in a cache line. */
  public static final int LONGS = BYTES / Long.BYTES;

  private CacheLine() {}
}
