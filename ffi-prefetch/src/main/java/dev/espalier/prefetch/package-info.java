// SPDX-License-Identifier: Apache-2.0

/** Cache prefetch of native memory. */
@NullMarked
package dev.espalier.prefetch;

import org.jspecify.annotations.NullMarked;
