// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** How much memory something uses, and of which kind. */
public interface MemoryUse {

  /** Returns the number of bytes allocated and not freed. */
  long usedBytes();

  /** Returns the number of bytes in use or kept for reuse: what counts against a limit. */
  long committedBytes();

  /** Returns whether the system granted huge pages. */
  boolean hugePagesGranted();

  /** Returns a memory use with the given numbers, such as the sum of several parts. */
  static MemoryUse of(long usedBytes, long committedBytes, boolean hugePagesGranted) {
    record Sum(long usedBytes, long committedBytes, boolean hugePagesGranted)
        implements MemoryUse {}

    return new Sum(usedBytes, committedBytes, hugePagesGranted);
  }
}
