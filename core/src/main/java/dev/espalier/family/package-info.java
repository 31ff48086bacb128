// SPDX-License-Identifier: Apache-2.0
/** The list of all trees. It stands above them: no tree knows it. */
@NullMarked
package dev.espalier.family;

import org.jspecify.annotations.NullMarked;
