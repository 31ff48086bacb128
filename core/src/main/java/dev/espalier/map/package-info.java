// SPDX-License-Identifier: Apache-2.0

/** What maps over indexes of all kinds share. */
@NullMarked
package dev.espalier.map;

import org.jspecify.annotations.NullMarked;
