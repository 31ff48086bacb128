// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;

/**
 * A list of keys with their values. It grows without being copied, and keeps its memory when it is
 * cleared. The key and the value of an entry lie together, so that both come with one cache line,
 * in whatever order entries are read.
 */
final class Entries {
  private static final int CHUNK_SHIFT = 15;
  private static final int CHUNK = 1 << CHUNK_SHIFT;

  /** The first chunk begins small, for short lists. */
  private static final int FIRST = 16;

  private long[][] chunks = {new long[2 * FIRST]};
  private int count;

  int count() {
    return count;
  }

  long key(int entry) {
    return chunks[entry >>> CHUNK_SHIFT][(entry & CHUNK - 1) << 1];
  }

  long value(int entry) {
    return chunks[entry >>> CHUNK_SHIFT][((entry & CHUNK - 1) << 1) + 1];
  }

  /** Adds an entry at the end. */
  void add(long key, long value) {
    int number = count >>> CHUNK_SHIFT;
    int at = (count & CHUNK - 1) << 1;
    if (number == chunks.length || at == chunks[number].length) {
      grow(number);
    }
    long[] chunk = chunks[number];
    chunk[at] = key;
    chunk[at + 1] = value;
    count++;
  }

  private void grow(int number) {
    if (number == 0) {
      chunks[0] = Arrays.copyOf(chunks[0], 2 * chunks[0].length);
    } else {
      chunks = Arrays.copyOf(chunks, number + 1);
      chunks[number] = new long[2 * CHUNK];
    }
  }

  /** Forgets all entries. */
  void clear() {
    count = 0;
  }
}
