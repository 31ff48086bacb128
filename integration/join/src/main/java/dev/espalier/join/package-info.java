// SPDX-License-Identifier: Apache-2.0

/** Joins that use an index as their inner side. */
@NullMarked
package dev.espalier.join;

import org.jspecify.annotations.NullMarked;
