// SPDX-License-Identifier: Apache-2.0

/** Tests of the experiments of the paper on the PIO B-tree. */
@NullMarked
package dev.espalier.experiment.pio;

import org.jspecify.annotations.NullMarked;
