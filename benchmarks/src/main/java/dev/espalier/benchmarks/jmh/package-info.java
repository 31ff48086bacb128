// SPDX-License-Identifier: Apache-2.0

/** The JMH benchmarks. */
@NullMarked
package dev.espalier.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
