// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** Counts how much of an index's memory limit its parts have taken. */
public final class MemoryBudget {
  private long limit;
  private long taken;

  /**
   * Creates a budget with nothing taken.
   *
   * @param limit the most bytes that may be taken
   */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** Changes the limit to {@code bytes}, which must not be less than the bytes taken. */
  public void limit(long bytes) {
    limit = bytes;
  }

  /** Returns the number of bytes taken. */
  public long taken() {
    return taken;
  }

  /** Returns the number of bytes left. */
  public long left() {
    return limit - taken;
  }

  /**
   * Checks that {@code more} bytes are left.
   *
   * @throws MemoryLimitException if they are not
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

  /** Counts {@code more} bytes as taken or, if negative, as given back. */
  public void count(long more) {
    taken += more;
  }

  /** Counts everything as given back, including what was miscounted by unsynchronized threads. */
  public void clear() {
    taken = 0;
  }
}
