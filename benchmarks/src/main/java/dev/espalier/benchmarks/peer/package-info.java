// SPDX-License-Identifier: Apache-2.0

/** The structures that are measured, behind one small interface. */
@NullMarked
package dev.espalier.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
