// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** Counts what the parts of an index take of its memory limit. */
public final class MemoryBudget {
  private long limit;
  private long taken;

  /**
   * Creates a budget of which nothing is taken.
   *
   * @param limit most bytes
   */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** Allows other than the bytes so far, at least those that are taken. */
  public void limit(long bytes) {
    limit = bytes;
  }

  /** Returns the bytes taken. */
  public long taken() {
    return taken;
  }

  /** Returns the bytes left. */
  public long left() {
    return limit - taken;
  }

  /**
   * Checks that there is room.
   *
   * @throws MemoryLimitException if {@code more} bytes are not left
   */
  public void check(long more) {
    if (more > limit - taken) {
      throw new MemoryLimitException(
          "the index needs "
              + (taken + more)
              + " bytes of native memory, but its limit is "
              + limit);
    }
  }

  /** Counts bytes that were taken, or if negative, given back. */
  public void count(long more) {
    taken += more;
  }

  /** Counts all as given back, also what threads that changed the index at once have miscounted. */
  public void clear() {
    taken = 0;
  }
}
