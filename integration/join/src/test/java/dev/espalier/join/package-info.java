// SPDX-License-Identifier: Apache-2.0

/** Tests of the join. */
@NullMarked
package dev.espalier.join;

import org.jspecify.annotations.NullMarked;
