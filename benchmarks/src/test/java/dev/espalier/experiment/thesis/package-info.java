// SPDX-License-Identifier: Apache-2.0

/** Tests of what the thesis' experiments are made of. */
@NullMarked
package dev.espalier.experiment.thesis;

import org.jspecify.annotations.NullMarked;
