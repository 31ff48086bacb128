// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.benchmarks.patterns;

import org.jspecify.annotations.NullMarked;
