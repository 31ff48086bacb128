// SPDX-License-Identifier: Apache-2.0

/** Experiments of the paper on buffered accesses (Zhou and Ross, VLDB 2003). */
@NullMarked
package dev.espalier.experiment.buffering;

import org.jspecify.annotations.NullMarked;
