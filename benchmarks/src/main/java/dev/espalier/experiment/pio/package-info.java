// SPDX-License-Identifier: Apache-2.0

/** The experiments of the paper on the PIO B-tree: figures 2 to 4, on the device alone. */
@NullMarked
package dev.espalier.experiment.pio;

import org.jspecify.annotations.NullMarked;
