// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

/**
 * Messages in key order, block by block: in each message of {@link #at} to {@link #end} of the
 * arrays. Whoever takes some moves {@code at}.
 */
abstract class MessageStream {
  final long[] keys;
  final long[] values;

  /** Which messages are puts, unless all are. */
  final boolean[] puts;

  int at;
  int end;
  boolean allPuts = true;

  MessageStream(int mostInBlock) {
    keys = new long[mostInBlock];
    values = new long[mostInBlock];
    puts = new boolean[mostInBlock];
  }

  /** Makes sure that there is a message; returns false at the end. */
  final boolean hasNext() {
    return at < end || refill();
  }

  /** Takes the next block, of one message at least, or returns false. The last one is used up. */
  abstract boolean refill();

  /** Begins the block that {@link #refill} has written. Returns whether it has messages. */
  final boolean begin(int count, boolean onlyPuts) {
    at = 0;
    end = count;
    allPuts = onlyPuts;
    return count > 0;
  }

  /** Moves the puts of the block's rest together, to where it begins; returns where they end. */
  final int keepPuts() {
    if (allPuts) {
      return end;
    }
    int kept = at;
    for (int i = at; i < end; i++) {
      if (puts[i]) {
        keys[kept] = keys[i];
        values[kept] = values[i];
        puts[kept] = true;
        kept++;
      }
    }
    return kept;
  }
}
