// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

/** Into which caches a line is fetched, and for what. */
public enum Locality {
  /** Into every level of cache: will be read soon. */
  T0(0),

  /** Into the second level and beyond. */
  T1(1),

  /** Into the last level only. */
  T2(2),

  /** Into the first level, soon to be evicted: will be read once. */
  NTA(3),

  /** Into every level of cache, exclusively: will be written soon. */
  WRITE(4);

  /** {@code ESPALIER_HINT_*} of {@code espalier.h}. */
  final int hint;

  Locality(int hint) {
    this.hint = hint;
  }
}
