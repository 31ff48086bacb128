// SPDX-License-Identifier: Apache-2.0
/**
 * The interface of all indexes, {@link dev.espalier.LongIndex}, with its cursors, runs, views, maps
 * and codecs, and the options to create an index with.
 *
 * <p>Create an index in memory with {@link dev.espalier.family.Indexes#create()}, or in a file with
 * {@code dev.espalier.io.Espalier.open(path)}; {@code dev.espalier.io.IndexStore} keeps several in
 * one file.
 */
@NullMarked
package dev.espalier;

import org.jspecify.annotations.NullMarked;
