// SPDX-License-Identifier: Apache-2.0

/** Programs outside the library's packages, which therefore can use it as a module. */
@NullMarked
package dev.espalier.probe;

import org.jspecify.annotations.NullMarked;
