// SPDX-License-Identifier: Apache-2.0

/** Ratios between structures, measured in one run: the table of targets. */
@NullMarked
package dev.espalier.benchmarks.ratios;

import org.jspecify.annotations.NullMarked;
