// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;

/**
 * A batch of byte strings, one behind the other, as Arrow lays out a column of them. Nothing is
 * copied.
 *
 * @param bytes all the bytes
 * @param offsets {@code count + 1} ints in native byte order, not descending: string {@code i}
 *     begins at byte {@code offsets[i]} and ends before {@code offsets[i + 1]}
 * @param count number of strings
 */
public record PackedBytes(MemorySegment bytes, MemorySegment offsets, int count) {}
