// SPDX-License-Identifier: Apache-2.0

/** Indexes in files, and the page files and engines below them. */
@NullMarked
package dev.espalier.io;

import org.jspecify.annotations.NullMarked;
