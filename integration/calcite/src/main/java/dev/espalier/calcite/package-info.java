// SPDX-License-Identifier: Apache-2.0

/**
 * Indexes as tables of Apache Calcite: {@link dev.espalier.calcite.EspalierSchema} for a store,
 * {@link dev.espalier.calcite.IndexTable} for one index. Queries read ranges of keys, and join by
 * looking up batches of keys where that costs less than a hash join.
 */
@NullMarked
package dev.espalier.calcite;

import org.jspecify.annotations.NullMarked;
