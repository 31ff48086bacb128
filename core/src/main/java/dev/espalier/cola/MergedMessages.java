// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.util.Arrays;

/** Two streams merged; where both have a message of the same key, the newer one's stays. */
final class MergedMessages extends MessageStream {
  private static final int BLOCK = 256;

  private MessageStream newer;
  private MessageStream older;

  MergedMessages(MessageStream newer, MessageStream older) {
    super(BLOCK);
    this.newer = newer;
    this.older = older;
  }

  /** Begins anew, with other streams. */
  void open(MessageStream newNewer, MessageStream newOlder) {
    newer = newNewer;
    older = newOlder;
    begin(0, true);
  }

  @Override
  boolean refill() {
    int count = 0;
    boolean onlyPuts = true;
    while (count < BLOCK) {
      boolean hasNewer = newer.hasNext();
      boolean hasOlder = older.hasNext();
      if (!hasNewer && !hasOlder) {
        break;
      }
      boolean plain = (!hasNewer || newer.allPuts) && (!hasOlder || older.allPuts);
      if (onlyPuts && !plain) {
        Arrays.fill(puts, 0, count, true);
        onlyPuts = false;
      }
      if (!hasNewer || !hasOlder) {
        count = copy(hasNewer ? newer : older, count, onlyPuts);
      } else {
        count = onlyPuts ? mergePuts(count) : mergeAny(count);
      }
    }
    return begin(count, onlyPuts);
  }

  private int copy(MessageStream from, int count, boolean onlyPuts) {
    int some = Math.min(BLOCK - count, from.end - from.at);
    System.arraycopy(from.keys, from.at, keys, count, some);
    System.arraycopy(from.values, from.at, values, count, some);
    if (!onlyPuts && from.allPuts) {
      Arrays.fill(puts, count, count + some, true);
    } else if (!onlyPuts) {
      System.arraycopy(from.puts, from.at, puts, count, some);
    }
    from.at += some;
    return count + some;
  }

  /**
   * Merges until a block is used up or this one is full. Which stream a message comes from can't be
   * predicted, so there is no branch on it, nor what the compiler would make one of: on a processor
   * that guesses wrong every other time, that takes three times as long.
   */
  private int mergePuts(int count) {
    long[] newerKeys = newer.keys;
    long[] newerValues = newer.values;
    long[] olderKeys = older.keys;
    long[] olderValues = older.values;
    long[] toKeys = keys;
    long[] toValues = values;
    int i = newer.at;
    int j = older.at;
    int newerEnd = newer.end;
    int olderEnd = older.end;
    int to = count;
    while (to < toKeys.length && i < newerEnd && j < olderEnd) {
      long key = newerKeys[i];
      long olderKey = olderKeys[j];
      long value = newerValues[i];
      long olderValue = olderValues[j];
      long takesOlder = ifSmaller(olderKey, key);
      toKeys[to] = key ^ ((key ^ olderKey) & takesOlder);
      toValues[to] = value ^ ((value ^ olderValue) & takesOlder);
      i += 1 + (int) takesOlder;
      j += 1 + (int) ifSmaller(key, olderKey);
      to++;
    }
    newer.at = i;
    older.at = j;
    return to;
  }

  /**
   * Returns -1, all bits set, if {@code a < b}, and 0 if not: the sign of a - b, had it 65 bits.
   */
  private static long ifSmaller(long a, long b) {
    long difference = a - b;
    return (difference ^ ((a ^ b) & (difference ^ a))) >> (Long.SIZE - 1);
  }

  /** As {@link #mergePuts}, where some messages are tombstones. */
  private int mergeAny(int count) {
    int to = count;
    while (to < BLOCK && newer.at < newer.end && older.at < older.end) {
      long key = newer.keys[newer.at];
      long olderKey = older.keys[older.at];
      MessageStream from = key <= olderKey ? newer : older;
      keys[to] = from.keys[from.at];
      values[to] = from.values[from.at];
      puts[to] = from.allPuts || from.puts[from.at];
      newer.at += key <= olderKey ? 1 : 0;
      older.at += key >= olderKey ? 1 : 0;
      to++;
    }
    return to;
  }
}
