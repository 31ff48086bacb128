// SPDX-License-Identifier: Apache-2.0

/** Sorting of entries that come in any order and may not fit into memory, for bulkloads. */
@NullMarked
package dev.espalier.sort;

import org.jspecify.annotations.NullMarked;
