// SPDX-License-Identifier: Apache-2.0
/**
 * What the memory hierarchy costs: the thesis's cost models of the in-memory indexes (chapter 3),
 * the figures of a machine that feed them, and the widths that follow, of nodes and within pages.
 */
@NullMarked
package dev.espalier.model;

import org.jspecify.annotations.NullMarked;
