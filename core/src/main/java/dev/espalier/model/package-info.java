// SPDX-License-Identifier: Apache-2.0
/**
 * The cost of the memory hierarchy: the cost models of chapter 3 of the thesis for indexes in
 * memory, the latencies of a machine that they need, and the widths of nodes, in memory and within
 * pages, that follow from them. And the cost models of the PIO B-tree, of devices and of pages.
 */
@NullMarked
package dev.espalier.model;

import org.jspecify.annotations.NullMarked;
