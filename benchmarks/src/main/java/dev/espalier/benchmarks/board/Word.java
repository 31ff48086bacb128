// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/**
 * The long that every value begins with: the number of its entry, and which write of that entry it
 * is of. So a value that belongs to another key, or that a later write should have replaced, is
 * seen.
 */
public final class Word {
  /** In place of a word: there is no value. */
  public static final long ABSENT = -1;

  /** In place of a word: there is a value that nobody wrote. */
  public static final long TORN = -2;

  static final int VERSION_BITS = 26;

  /** The version of an entry that is removed; never written. */
  static final int REMOVED = (1 << VERSION_BITS) - 1;

  private Word() {}

  /** Returns the word of a version of an entry; not negative. */
  public static long of(long entry, int version) {
    return entry << VERSION_BITS | version;
  }

  /** Returns the entry. */
  public static long entry(long word) {
    return word >> VERSION_BITS;
  }

  /** Returns the version, from 1. */
  public static int version(long word) {
    return (int) word & REMOVED;
  }
}
