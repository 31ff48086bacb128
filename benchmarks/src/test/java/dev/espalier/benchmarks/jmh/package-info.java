// SPDX-License-Identifier: Apache-2.0

@NullMarked
package dev.espalier.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
