// SPDX-License-Identifier: Apache-2.0
/** Ordered indexes whose keys and values are byte strings, and the types that their users see. */
@NullMarked
package dev.espalier.bytes;

import org.jspecify.annotations.NullMarked;
