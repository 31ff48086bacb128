// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** How much memory there is, and of which kind. */
public interface MemoryUse {

  /** Returns the bytes given out and not taken back. */
  long usedBytes();

  /** Returns the bytes in use or kept for reuse: what a limit counts. */
  long committedBytes();

  /** Returns whether the system granted huge pages. */
  boolean hugePagesGranted();

  /** Returns what is known of memory in several parts. */
  static MemoryUse of(long usedBytes, long committedBytes, boolean hugePagesGranted) {
    record Sum(long usedBytes, long committedBytes, boolean hugePagesGranted)
        implements MemoryUse {}

    return new Sum(usedBytes, committedBytes, hugePagesGranted);
  }
}
