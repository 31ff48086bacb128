// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

/**
 * A result of {@link RTree#nearest}.
 *
 * @param value the value of the rectangle
 * @param distance the Euclidean distance from the point to the rectangle; 0 if the point is in it
 */
public record Neighbour(long value, double distance) {}
