// SPDX-License-Identifier: Apache-2.0
/**
 * The cache-sensitive B+-tree (CSB+-tree), full and segmented, and with wide nodes the prefetching
 * CSB+-tree: thesis 3.5 and 3.8.
 *
 * <p>What is done to the tree seldom (splits, merges, bulkload, inspection) stands in {@code
 * CsbPlusStructure} and its neighbours, what is done often (search, batched search, the descents of
 * inserts and deletes) in the tree class.
 */
@NullMarked
package dev.espalier.csbplus;

import org.jspecify.annotations.NullMarked;
