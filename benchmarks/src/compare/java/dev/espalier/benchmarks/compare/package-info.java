// SPDX-License-Identifier: Apache-2.0

/** Embedded stores of other projects, as structures to compare with. */
@NullMarked
package dev.espalier.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
