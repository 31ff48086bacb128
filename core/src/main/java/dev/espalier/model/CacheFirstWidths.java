// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The width of the nodes of the cache-first fpB+-tree, and what follows from it (fpB+ 3.2.2).
 *
 * @param width lines of a node
 * @param nodes nodes in a page
 * @param fanOut entries of a full leaf page
 * @param costRatio time of a search, by that of the fastest width; 1 at least
 */
public record CacheFirstWidths(int width, int nodes, int fanOut, double costRatio) {}
