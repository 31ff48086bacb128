// SPDX-License-Identifier: Apache-2.0

/** Tests of the experiments of the paper on buffered accesses. */
@NullMarked
package dev.espalier.experiment.buffering;

import org.jspecify.annotations.NullMarked;
