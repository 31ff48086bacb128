// SPDX-License-Identifier: Apache-2.0
/**
 * The small trees within pages that both disk-first fpB+-trees have: the layouts of their nodes,
 * and what searches, changes, builds and checks them ({@code InPageTrees}). For those who write a
 * tree; not exported.
 */
@NullMarked
package dev.espalier.inpage;

import org.jspecify.annotations.NullMarked;
