// SPDX-License-Identifier: Apache-2.0
/** The experiments of the paper on cache-oblivious streaming B-trees. */
@NullMarked
package dev.espalier.experiment.cosb;

import org.jspecify.annotations.NullMarked;
