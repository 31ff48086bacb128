// SPDX-License-Identifier: Apache-2.0
/** The B-link tree, which many threads read and change at once. */
@NullMarked
package dev.espalier.blink;

import org.jspecify.annotations.NullMarked;
