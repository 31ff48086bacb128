// SPDX-License-Identifier: Apache-2.0
/**
 * The interface of all indexes, {@link dev.espalier.LongIndex}, with its cursors, runs, views, maps
 * and codecs, and the options to create an index with.
 *
 * <p>Create an index in memory by {@link dev.espalier.family.Indexes#create()}, in a file by {@code
 * dev.espalier.io.Espalier.open(path)}, or in a store that survives crashes by {@code
 * dev.espalier.io.IndexStore}.
 */
@NullMarked
package dev.espalier;

import org.jspecify.annotations.NullMarked;
