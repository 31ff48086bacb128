// SPDX-License-Identifier: Apache-2.0
/**
 * Kernels that work inside one node: searching its keys, and opening and closing gaps between its
 * slots. For those who build trees.
 */
@NullMarked
package dev.espalier.node;

import org.jspecify.annotations.NullMarked;
