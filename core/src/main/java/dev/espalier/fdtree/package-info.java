// SPDX-License-Identifier: Apache-2.0
/** The FD-tree: a small head tree above sorted runs of growing size, with fences between them. */
@NullMarked
package dev.espalier.fdtree;

import org.jspecify.annotations.NullMarked;
