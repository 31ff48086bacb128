// SPDX-License-Identifier: Apache-2.0
/**
 * The B+-tree and the prefetching B+-tree (pB+-tree): thesis 3.2 and 3.6.
 *
 * <p>Both trees have the same nodes, and share what is done to them seldom (splits, merges,
 * bulkload, inspection) in the package {@code nodes}. What is done often (search, batched search,
 * the descents of inserts and deletes) stands in each tree class.
 */
@NullMarked
package dev.espalier.bplus;

import org.jspecify.annotations.NullMarked;
