// SPDX-License-Identifier: Apache-2.0

/** Measurements of stores by themselves: how fast they recover, and how long writers wait. */
@NullMarked
package dev.espalier.benchmarks.stores;

import org.jspecify.annotations.NullMarked;
