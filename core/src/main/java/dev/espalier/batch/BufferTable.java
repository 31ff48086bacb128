// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** The buffers of one virtual node's children, by the children's numbers. */
final class BufferTable {
  /** Where each buffer ends in the {@link SegmentPool}. */
  final int[] ends;

  /** Where each child is in the tree; good if its buffer is not empty. */
  final long[] places;

  BufferTable(int children) {
    ends = new int[children];
    places = new long[children];
  }
}
