// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.prefetch;

import org.jspecify.annotations.NullMarked;
