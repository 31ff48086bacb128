// SPDX-License-Identifier: Apache-2.0

/** The index-nested-loop join; start at {@link dev.espalier.join.IndexNestedLoopJoin}. */
@NullMarked
package dev.espalier.join;

import org.jspecify.annotations.NullMarked;
