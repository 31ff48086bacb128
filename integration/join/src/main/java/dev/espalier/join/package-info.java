// SPDX-License-Identifier: Apache-2.0

/** Joins over indexes; start at {@link dev.espalier.join.IndexNestedLoopJoin}. */
@NullMarked
package dev.espalier.join;

import org.jspecify.annotations.NullMarked;
