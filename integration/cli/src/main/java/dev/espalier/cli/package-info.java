// SPDX-License-Identifier: Apache-2.0

/** The command line. */
@NullMarked
package dev.espalier.cli;

import org.jspecify.annotations.NullMarked;
