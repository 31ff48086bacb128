// SPDX-License-Identifier: Apache-2.0

/** Tests of streams of probes. */
@NullMarked
package dev.espalier.stream;

import org.jspecify.annotations.NullMarked;
