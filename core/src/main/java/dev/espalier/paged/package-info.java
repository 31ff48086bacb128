// SPDX-License-Identifier: Apache-2.0
/**
 * Trees whose nodes are pages of a {@link dev.espalier.memory.PageStore}, from the paper on fractal
 * prefetching B+-trees (SIGMOD 2002): the disk-optimized B+-tree, micro-indexing, and the
 * disk-first fpB+-tree.
 */
@NullMarked
package dev.espalier.paged;

import org.jspecify.annotations.NullMarked;
