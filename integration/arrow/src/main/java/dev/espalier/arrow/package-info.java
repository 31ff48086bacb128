// SPDX-License-Identifier: Apache-2.0

/**
 * Indexes over columns in Arrow's memory layout: {@link dev.espalier.arrow.LongLookup} and {@link
 * dev.espalier.arrow.BytesLookup} look up a column, {@link dev.espalier.arrow.ColumnJoin} joins one
 * with an index, {@link dev.espalier.arrow.ColumnEntries} loads an index.
 *
 * <p>A column is a few memory segments, whoever owns them: Arrow's Java vectors, a C data interface
 * structure, a mapped file. This package does not need Arrow's Java library, which does not start
 * on JDK 25 without {@code --add-opens}.
 */
@NullMarked
package dev.espalier.arrow;

import org.jspecify.annotations.NullMarked;
