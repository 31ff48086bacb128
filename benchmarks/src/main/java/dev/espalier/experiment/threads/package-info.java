// SPDX-License-Identifier: Apache-2.0

/** Experiments on threads that use one index in memory at once. They follow no paper's figure. */
@NullMarked
package dev.espalier.experiment.threads;

import org.jspecify.annotations.NullMarked;
