// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Strings in the forms in which structures take them: as objects, and as UTF-8 outside of the heap,
 * one behind the other.
 */
public final class PackedStrings {
  private final String[] strings;
  private final MemorySegment bytes;
  private final MemorySegment offsets;

  PackedStrings(String[] strings) {
    this.strings = strings;
    offsets = Arena.ofAuto().allocate(JAVA_INT, strings.length + 1L);
    int size = 0;
    for (int i = 0; i < strings.length; i++) {
      size = Math.addExact(size, strings[i].getBytes(StandardCharsets.UTF_8).length);
      offsets.setAtIndex(JAVA_INT, i + 1L, size);
    }
    bytes = Arena.ofAuto().allocate(size);
    for (int i = 0; i < strings.length; i++) {
      get(i).copyFrom(MemorySegment.ofArray(strings[i].getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** Returns how many there are. */
  public int count() {
    return strings.length;
  }

  /** Returns string {@code i}, always the same object. */
  public String string(int i) {
    return strings[i];
  }

  /** Returns where the bytes of string {@code i} begin, or those of string {@code i - 1} end. */
  public int offset(int i) {
    return offsets.getAtIndex(JAVA_INT, i);
  }

  /** Returns the bytes of string {@code i}, without a copy. */
  public MemorySegment get(int i) {
    return bytes.asSlice(offset(i), length(i));
  }

  /** Returns how many bytes string {@code i} has. */
  public int length(int i) {
    return offset(i + 1) - offset(i);
  }

  /** Copies the bytes of string {@code i}, and returns how many. */
  public int copy(int i, MemorySegment into) {
    int length = length(i);
    MemorySegment.copy(bytes, offset(i), into, 0, length);
    return length;
  }

  /** Returns a copy of the bytes of string {@code i}. */
  public byte[] array(int i) {
    return strings[i].getBytes(StandardCharsets.UTF_8);
  }

  /** Returns strings {@code from} to {@code from + count - 1} as a batch, without a copy. */
  public PackedBytes batch(int from, int count) {
    return new PackedBytes(bytes, offsets.asSlice((long) from * Integer.BYTES), count);
  }
}
