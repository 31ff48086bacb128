// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/** How two keys of several words are compared. */
enum KeyComparison {
  /** Word by word. */
  BY_WORDS("word by word") {
    @Override
    boolean isAbove(MemorySegment nodes, long at, long[] key) {
      for (int word = 0; word < key.length; word++) {
        long ours = Words.getLong(nodes, at + ((long) word << 3));
        if (ours != key[word]) {
          return ours > key[word];
        }
      }
      return false;
    }
  },

  /** Byte by byte, from the most significant on, as memcmp. */
  BY_BYTES("byte by byte") {
    @Override
    boolean isAbove(MemorySegment nodes, long at, long[] key) {
      for (int i = 0; i < key.length * Long.BYTES; i++) {
        int shift = Long.SIZE - Byte.SIZE * (1 + i % Long.BYTES);
        long word = Words.getLong(nodes, at + (i & -Long.BYTES));
        int ours = (int) ((word ^ Long.MIN_VALUE) >>> shift) & 0xff;
        int theirs = (int) ((key[i / Long.BYTES] ^ Long.MIN_VALUE) >>> shift) & 0xff;
        if (ours != theirs) {
          return ours > theirs;
        }
      }
      return false;
    }
  };

  private final String label;

  KeyComparison(String label) {
    this.label = label;
  }

  /** Returns the comparison in words. */
  String label() {
    return label;
  }

  /** Tells whether the key at an offset is greater than another. */
  abstract boolean isAbove(MemorySegment nodes, long at, long[] key);
}
