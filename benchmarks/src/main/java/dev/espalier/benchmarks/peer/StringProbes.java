// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

/**
 * Keys to look up, all of which are there.
 *
 * @param keys in the order in which they are looked up
 * @param sum of the numbers that their values begin with
 */
public record StringProbes(PackedStrings keys, long sum) {}
