// SPDX-License-Identifier: Apache-2.0

/** Tests of the experiments of the paper on fractal prefetching B+-trees. */
@NullMarked
package dev.espalier.experiment.fpb;

import org.jspecify.annotations.NullMarked;
