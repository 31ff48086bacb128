// SPDX-License-Identifier: Apache-2.0

/** JMH benchmarks over the catalogue of trees. */
@NullMarked
package dev.espalier.benchmarks;

import org.jspecify.annotations.NullMarked;
