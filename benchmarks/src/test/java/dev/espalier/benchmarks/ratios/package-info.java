// SPDX-License-Identifier: Apache-2.0

@NullMarked
package dev.espalier.benchmarks.ratios;

import org.jspecify.annotations.NullMarked;
