// SPDX-License-Identifier: Apache-2.0
/**
 * The pB+-tree with a choice of everything that its papers compare: jump-pointer arrays, prefetch
 * policies, searches and hints (thesis 3.6, chapter 5).
 */
@NullMarked
package dev.espalier.bplus.choices;

import org.jspecify.annotations.NullMarked;
