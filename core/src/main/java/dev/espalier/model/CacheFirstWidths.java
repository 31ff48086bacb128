// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The width of the nodes of the cache-first fpB+-tree, and what follows from it (fpB+ 3.2.2).
 *
 * @param width width of a node, in lines
 * @param nodes number of nodes in a page
 * @param fanOut number of entries in a full leaf page
 * @param costRatio time of a search divided by that with the fastest width; at least 1
 */
public record CacheFirstWidths(int width, int nodes, int fanOut, double costRatio) {}
