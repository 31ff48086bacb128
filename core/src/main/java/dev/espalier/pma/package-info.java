// SPDX-License-Identifier: Apache-2.0
/** The packed memory array, and the cache-oblivious B-tree, which adds an index to it. */
@NullMarked
package dev.espalier.pma;

import org.jspecify.annotations.NullMarked;
