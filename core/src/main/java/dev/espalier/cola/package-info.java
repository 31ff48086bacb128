// SPDX-License-Identifier: Apache-2.0
/**
 * The cache-oblivious lookahead array (COLA), in its amortized and its deamortized form: sorted
 * levels of growing size, merged one into the next.
 */
@NullMarked
package dev.espalier.cola;

import org.jspecify.annotations.NullMarked;
