// SPDX-License-Identifier: Apache-2.0
/**
 * The shuttle tree: a write-optimized tree that knows no block size.
 *
 * <p>{@code ShuttleTree} has the searches, alone and in groups; {@code ShuttleStructure} moves
 * messages down and splits nodes. {@code BufferSchedule} says which edges have which buffers,
 * {@code LayoutOrder} in which order everything lies in memory, and {@code PackedArray} keeps it
 * there.
 */
@NullMarked
package dev.espalier.shuttle;

import org.jspecify.annotations.NullMarked;
