// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The width of the sub-arrays of a page with a micro-index, which holds the first key of each, and
 * what follows from it (fpB+ 4.1).
 *
 * @param subArrayLines width of a sub-array of keys, in lines
 * @param fanOut number of entries in a full page
 * @param costRatio time of a search in a page divided by that with the fastest width; at least 1
 */
public record MicroIndexWidths(int subArrayLines, int fanOut, double costRatio) {}
