// SPDX-License-Identifier: Apache-2.0

/** Checks that the documentation of this repository agrees with what is in it. */
@NullMarked
package dev.espalier.docs;

import org.jspecify.annotations.NullMarked;
