// SPDX-License-Identifier: Apache-2.0
/** The CSS-tree: a directory without pointers over a sorted array. */
@NullMarked
package dev.espalier.css;

import org.jspecify.annotations.NullMarked;
