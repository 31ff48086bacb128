// SPDX-License-Identifier: Apache-2.0
/**
 * The R-tree, which finds rectangles by their place. It has an interface of its own, because
 * rectangles have no order that a {@link dev.espalier.LongIndex} could keep.
 *
 * <p>Start at {@link dev.espalier.rtree.RTree}.
 */
@NullMarked
package dev.espalier.rtree;

import org.jspecify.annotations.NullMarked;
