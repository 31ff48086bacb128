// SPDX-License-Identifier: Apache-2.0
/**
 * What B+-trees in memory are made of: the layouts of their nodes, and what changes, loads, checks
 * and walks them ({@code BPlusStructure}). For those who write a tree; not exported.
 */
@NullMarked
package dev.espalier.bplus.nodes;

import org.jspecify.annotations.NullMarked;
