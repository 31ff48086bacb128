// SPDX-License-Identifier: Apache-2.0
/** B-link trees, which many threads read and change at once. */
@NullMarked
package dev.espalier.blink;

import org.jspecify.annotations.NullMarked;
