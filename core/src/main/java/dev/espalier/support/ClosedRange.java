// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/** The keys from {@code first} to {@code last}, both included; none if first is the greater one. */
public record ClosedRange(long first, long last) {
  private static final ClosedRange NONE = new ClosedRange(1, 0);

  /**
   * Returns the keys between two ends, of which each may be left out.
   *
   * @throws IllegalArgumentException if {@code from} is greater than {@code to}
   */
  public static ClosedRange of(long from, boolean fromInclusive, long to, boolean toInclusive) {
    if (from > to) {
      throw new IllegalArgumentException("from is " + from + ", which is greater than to, " + to);
    }
    boolean isEmpty = from == to && !(fromInclusive && toInclusive);
    return isEmpty
        ? NONE
        : new ClosedRange(fromInclusive ? from : from + 1, toInclusive ? to : to - 1);
  }

  /** Tells whether there are no keys. */
  public boolean isEmpty() {
    return first > last;
  }
}
