// SPDX-License-Identifier: Apache-2.0

/** The patterns of access that people have, on every structure: {@code benchmarks/run patterns}. */
@NullMarked
package dev.espalier.benchmarks.patterns;

import org.jspecify.annotations.NullMarked;
