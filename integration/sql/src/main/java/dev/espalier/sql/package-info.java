// SPDX-License-Identifier: Apache-2.0

/** The command {@code espalier sql}. */
@NullMarked
package dev.espalier.sql;

import org.jspecify.annotations.NullMarked;
