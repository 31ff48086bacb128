// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.inspect.InvariantViolationException;

/**
 * Checks an index in parts whose locks are held. Checks each part by itself, and that the ranges of
 * the parts cover all keys, one after the other (P1), and that each part has only keys of its own
 * range (P2).
 */
final class PartitionedVerifier {
  private PartitionedVerifier() {}

  static void verify(IndexPart[] parts, ProgressListener listener) {
    long all = 0;
    for (IndexPart part : parts) {
      all += part.index.size();
    }
    long total = all;
    long done = 0;
    long low = Long.MIN_VALUE;
    for (int i = 0; i < parts.length; i++) {
      IndexPart part = parts[i];
      boolean isLast = i == parts.length - 1;
      if (part.low != low || part.high < low || isLast != (part.high == Long.MAX_VALUE)) {
        throw new InvariantViolationException(
            "P1", "part %d has the keys from %d to %d".formatted(i, part.low, part.high));
      }
      long before = done;
      part.index.verify((more, _) -> listener.onProgress(before + more, total));
      LongCursor cursor = part.index.cursor();
      checkCovers(part, i, cursor.first(), cursor);
      checkCovers(part, i, cursor.last(), cursor);
      done += part.index.size();
      low = part.high + 1;
    }
  }

  private static void checkCovers(IndexPart part, int number, boolean found, LongCursor cursor) {
    if (found && !part.covers(cursor.key())) {
      throw new InvariantViolationException(
          "P2",
          "part %d has the keys from %d to %d, but an entry with key %d"
              .formatted(number, part.low, part.high, cursor.key()));
    }
  }
}
