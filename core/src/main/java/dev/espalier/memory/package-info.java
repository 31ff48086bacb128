// SPDX-License-Identifier: Apache-2.0
/**
 * The native memory that nodes live in, and the accessors that every tree reads and writes it by.
 */
@NullMarked
package dev.espalier.memory;

import org.jspecify.annotations.NullMarked;
