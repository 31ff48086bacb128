// SPDX-License-Identifier: Apache-2.0
/**
 * A simulator of the memory hierarchy, which replays what a trace of an index reads, writes and
 * prefetches: the figures of machines that are not at hand, without noise.
 */
@NullMarked
package dev.espalier.simulation;

import org.jspecify.annotations.NullMarked;
