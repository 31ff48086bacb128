// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * Widths of the nodes within a page of the disk-first fpB+-tree, and what follows from them (fpB+
 * 3.1.1).
 *
 * @param levels height of a full in-page tree; L in the paper
 * @param innerWidth lines of an in-page inner node; w in the paper
 * @param leafWidth lines of an in-page leaf; x in the paper
 * @param leaves leaves of a full in-page tree
 * @param fanOut entries of a full page
 * @param costRatio time of a search in a page, by that of the fastest widths; 1 at least
 */
public record DiskFirstWidths(
    int levels, int innerWidth, int leafWidth, int leaves, int fanOut, double costRatio) {}
