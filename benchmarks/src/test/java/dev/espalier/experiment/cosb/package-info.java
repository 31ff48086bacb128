// SPDX-License-Identifier: Apache-2.0

/** Tests of the streaming B-trees' experiments. */
@NullMarked
package dev.espalier.experiment.cosb;

import org.jspecify.annotations.NullMarked;
