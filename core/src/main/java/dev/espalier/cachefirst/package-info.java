// SPDX-License-Identifier: Apache-2.0
/**
 * The cache-first fpB+-tree, from the paper on fractal prefetching B+-trees (SIGMOD 2002): nodes of
 * a few cache lines, placed into the pages of a {@link dev.espalier.memory.PageStore}.
 */
@NullMarked
package dev.espalier.cachefirst;

import org.jspecify.annotations.NullMarked;
