// SPDX-License-Identifier: Apache-2.0
/**
 * The B+-tree and the prefetching B+-tree (pB+-tree): thesis 3.2 and 3.6.
 *
 * <p>Both trees have the same nodes. They share infrequent operations (splits, merges, bulkload,
 * inspection) in the package {@code nodes}; frequent ones (single and batched searches, the
 * descents of inserts and deletes) are in each tree class.
 */
@NullMarked
package dev.espalier.bplus;

import org.jspecify.annotations.NullMarked;
