// SPDX-License-Identifier: Apache-2.0
/**
 * The interface that every index of the family implements, its cursors, runs and views, and what is
 * needed to choose and configure a tree.
 *
 * <p>Start at {@link dev.espalier.LongIndex}.
 */
@NullMarked
package dev.espalier;

import org.jspecify.annotations.NullMarked;
