// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * Widths of the nodes within a page of the disk-first fpB+-tree, and what follows from them (fpB+
 * 3.1.1).
 *
 * @param levels height of a full in-page tree; L in the paper
 * @param innerWidth width of an in-page inner node, in lines; w in the paper
 * @param leafWidth width of an in-page leaf, in lines; x in the paper
 * @param leaves number of leaves of a full in-page tree
 * @param fanOut number of entries in a full page
 * @param costRatio time of a search in a page divided by that with the fastest widths; at least 1
 */
public record DiskFirstWidths(
    int levels, int innerWidth, int leafWidth, int leaves, int fanOut, double costRatio) {}
