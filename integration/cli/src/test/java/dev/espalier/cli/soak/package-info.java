// SPDX-License-Identifier: Apache-2.0

/** Tests of the laboratories. */
@NullMarked
package dev.espalier.cli.soak;

import org.jspecify.annotations.NullMarked;
