// SPDX-License-Identifier: Apache-2.0

/** Measurements of whole programs, run as a user runs them: builds, scripts, the command line. */
@NullMarked
package dev.espalier.benchmarks.programs;

import org.jspecify.annotations.NullMarked;
