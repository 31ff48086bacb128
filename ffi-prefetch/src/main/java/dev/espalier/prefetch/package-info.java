// SPDX-License-Identifier: Apache-2.0

/** Cache prefetch of native memory, and whether native code is in use. */
@NullMarked
package dev.espalier.prefetch;

import org.jspecify.annotations.NullMarked;
