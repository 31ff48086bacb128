// SPDX-License-Identifier: Apache-2.0

/** The experiments of the thesis on the pB+-tree: chapters 3, 5 and 6. */
@NullMarked
package dev.espalier.experiment.thesis;

import org.jspecify.annotations.NullMarked;
