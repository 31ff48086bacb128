// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The width of the sub-arrays that a micro-index has one key of each for, and what follows from it
 * (fpB+ 4.1).
 *
 * @param subArrayLines lines of a key sub-array
 * @param fanOut entries of a full page
 * @param costRatio time of a search in a page, by that of the fastest width; 1 at least
 */
public record MicroIndexWidths(int subArrayLines, int fanOut, double costRatio) {}
