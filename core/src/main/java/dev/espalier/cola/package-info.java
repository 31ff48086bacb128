// SPDX-License-Identifier: Apache-2.0
/**
 * The cache-oblivious lookahead array, COLA: sorted levels of growing size, merged one into the
 * next.
 */
@NullMarked
package dev.espalier.cola;

import org.jspecify.annotations.NullMarked;
