// SPDX-License-Identifier: Apache-2.0

/**
 * Batch lookups: in groups, sorted, or buffered, and the choice between them.
 *
 * <p>{@link dev.espalier.batch.BatchLookup} looks up an array of keys; {@link
 * dev.espalier.batch.BufferedAccess} takes lookups and updates one by one. Source: Zhou and Ross,
 * the buffering paper; see {@code docs/papers/buffering.md}.
 */
@NullMarked
package dev.espalier.batch;

import org.jspecify.annotations.NullMarked;
