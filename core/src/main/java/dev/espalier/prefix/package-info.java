// SPDX-License-Identifier: Apache-2.0
/** The prefix B+-tree, whose keys and values are byte strings. */
@NullMarked
package dev.espalier.prefix;

import org.jspecify.annotations.NullMarked;
