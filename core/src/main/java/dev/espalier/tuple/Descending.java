// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tuple;

import org.jspecify.annotations.Nullable;

/**
 * A part of a tuple that sorts in descending order.
 *
 * @param part as in {@link TupleWriter#add(Object)}
 */
public record Descending(@Nullable Object part) {}
