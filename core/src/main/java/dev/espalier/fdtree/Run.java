// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

/**
 * A sorted run: an extent of pages, all full but the last.
 *
 * @param elements all of them, fences too
 * @param messages puts and tombstones
 */
record Run(int firstPage, int pages, long elements, long messages, long tombstones) {
  static final Run EMPTY = new Run(0, 0, 0, 0, 0);
}
