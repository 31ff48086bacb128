// SPDX-License-Identifier: Apache-2.0
/**
 * Ways in which people use ordered maps, for {@code benchmarks/run patterns} and for tests of what
 * each costs each tree, counted.
 */
@NullMarked
package dev.espalier.patterns;

import org.jspecify.annotations.NullMarked;
