// SPDX-License-Identifier: Apache-2.0
/**
 * Where to start: {@link dev.espalier.family.Indexes} creates indexes in memory, {@link
 * dev.espalier.family.Workload} recommends a tree for each kind of work, and {@link
 * dev.espalier.family.Family} lists all trees.
 *
 * <p>This package depends on the trees; no tree depends on it.
 */
@NullMarked
package dev.espalier.family;

import org.jspecify.annotations.NullMarked;
