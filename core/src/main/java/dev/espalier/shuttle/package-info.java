// SPDX-License-Identifier: Apache-2.0
/**
 * The shuttle tree: a write-optimized tree that does not depend on a block size.
 *
 * <p>{@code ShuttleTree} has the searches, alone and in groups; {@code ShuttleStructure} moves
 * messages down and splits nodes. {@code BufferSchedule} determines which edges have which buffers,
 * {@code LayoutOrder} the order of everything in memory, and {@code PackedArray} maintains this
 * order.
 */
@NullMarked
package dev.espalier.shuttle;

import org.jspecify.annotations.NullMarked;
