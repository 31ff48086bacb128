// SPDX-License-Identifier: Apache-2.0

/** Loading of the native library and system calls; internal to Espalier. */
@NullMarked
package dev.espalier.ffi;

import org.jspecify.annotations.NullMarked;
