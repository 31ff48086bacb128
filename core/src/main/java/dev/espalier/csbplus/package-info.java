// SPDX-License-Identifier: Apache-2.0
/**
 * The cache-sensitive B+-tree (CSB+-tree), full and segmented, and with wide nodes the prefetching
 * CSB+-tree: thesis 3.5 and 3.8.
 *
 * <p>Infrequent operations (splits, merges, bulkload, inspection) are in {@code CsbPlusStructure}
 * and the classes beside it; frequent ones (single and batched searches, the descents of inserts
 * and deletes) are in the tree class.
 */
@NullMarked
package dev.espalier.csbplus;

import org.jspecify.annotations.NullMarked;
