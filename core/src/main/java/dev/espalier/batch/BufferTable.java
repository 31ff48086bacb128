// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** The buffers of the children of a virtual node, by number of the child. */
final class BufferTable {
  /** Where each buffer ends in the {@link SegmentPool}. */
  final int[] ends;

  /** The place of each child in the tree; valid if its buffer is not empty. */
  final long[] places;

  BufferTable(int children) {
    ends = new int[children];
    places = new long[children];
  }
}
