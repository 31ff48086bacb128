// SPDX-License-Identifier: Apache-2.0

/** The experiments of the paper on fractal prefetching B+-trees: table 2, figures 10 to 17. */
@NullMarked
package dev.espalier.experiment.fpb;

import org.jspecify.annotations.NullMarked;
