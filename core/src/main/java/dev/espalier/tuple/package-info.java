// SPDX-License-Identifier: Apache-2.0

/**
 * Tuples of typed parts as bytes whose unsigned order is the order of the tuples. {@link
 * dev.espalier.tuple.TupleWriter} makes them, {@link dev.espalier.tuple.TupleReader} reads them.
 */
@NullMarked
package dev.espalier.tuple;

import org.jspecify.annotations.NullMarked;
