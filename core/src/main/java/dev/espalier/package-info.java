// SPDX-License-Identifier: Apache-2.0

/**
 * Ordered indexes over long keys: the interface, its cursor, batches and the catalogue of trees.
 */
@NullMarked
package dev.espalier;

import org.jspecify.annotations.NullMarked;
