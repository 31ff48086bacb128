// SPDX-License-Identifier: Apache-2.0
/** The packed memory array, and the cache-oblivious B-tree that is an index over it. */
@NullMarked
package dev.espalier.pma;

import org.jspecify.annotations.NullMarked;
