// SPDX-License-Identifier: Apache-2.0

/** What the locks around indexes of longs and of byte strings share. */
@NullMarked
package dev.espalier.lock;

import org.jspecify.annotations.NullMarked;
