// SPDX-License-Identifier: Apache-2.0
/** Kernels inside one node: searching its keys, opening and closing gaps between its slots. */
@NullMarked
package dev.espalier.node;

import org.jspecify.annotations.NullMarked;
