// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import org.jspecify.annotations.Nullable;

/**
 * What a lookup is asked for, where one search serves {@code get}, {@code containsKey} and {@code
 * find}: an array to store the value in; {@link #PRESENCE}; or null, for the value as the answer.
 */
public final class Wanted {
  /** Only whether there is a value, which is stored nowhere. */
  public static final long[] PRESENCE = {};

  private Wanted() {}

  /**
   * Returns the answer for a value that was found: the value itself if {@code wanted} is null,
   * otherwise 1, with the value stored as far as there is room for it.
   */
  public static long answer(long value, long @Nullable [] wanted) {
    if (wanted == null) {
      return value;
    }
    if (wanted.length > 0) {
      wanted[0] = value;
    }
    return 1;
  }
}
