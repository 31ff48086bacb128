// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

/** Which caches to prefetch a line into, and for what use. */
public enum Locality {
  /** Into all levels: the line will be read soon. */
  T0(0),

  /** Into the second level and those beyond. */
  T1(1),

  /** Into the last level only. */
  T2(2),

  /** Into the first level, to be evicted early: the line will be read once. */
  NTA(3),

  /** Into all levels, exclusively: the line will be written soon. */
  WRITE(4);

  /** {@code ESPALIER_HINT_*} of {@code espalier.h}. */
  final int hint;

  Locality(int hint) {
    this.hint = hint;
  }
}
