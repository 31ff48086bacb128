// SPDX-License-Identifier: Apache-2.0
/**
 * The PIO B-tree (Roh, Park, Kim, Shin, Lee, PVLDB 5(4), 2011): a B+-tree whose searches and
 * updates read many pages at once, which suits solid-state disks. Read {@code PioStructure} first.
 */
@NullMarked
package dev.espalier.pio;

import org.jspecify.annotations.NullMarked;
