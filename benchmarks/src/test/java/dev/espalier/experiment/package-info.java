// SPDX-License-Identifier: Apache-2.0

/** Tests of what experiments are made of. */
@NullMarked
package dev.espalier.experiment;

import org.jspecify.annotations.NullMarked;
