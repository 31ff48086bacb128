// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.util.Arrays;

/**
 * The beginning of a separator beside a page, as far as the page keeps it; or that there is none.
 */
@SuppressWarnings("ArrayRecordComponent") // It is never compared.
record Fence(boolean isThere, byte[] bytes) {
  static final Fence NONE = new Fence(false, new byte[0]);

  /** Returns what a page keeps of a separator. */
  static Fence of(byte[] beginning) {
    return new Fence(true, beginning);
  }

  /** Returns how many bytes two fences have in common at their beginnings. */
  static int common(byte[] a, byte[] b) {
    int differ = Arrays.mismatch(a, b);
    return differ < 0 ? a.length : differ;
  }
}
