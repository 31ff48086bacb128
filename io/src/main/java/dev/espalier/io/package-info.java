// SPDX-License-Identifier: Apache-2.0

/** Page files and what keeps them durable. */
@NullMarked
package dev.espalier.io;

import org.jspecify.annotations.NullMarked;
