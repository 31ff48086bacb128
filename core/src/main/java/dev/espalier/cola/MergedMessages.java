// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.util.Arrays;

/** Two streams merged; where both have a message of the same key, the newer one's stays. */
final class MergedMessages extends MessageStream {
  private static final int BLOCK = 512;

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
    while (count < BLOCK - 1) { // A key that is in both needs two places until they are merged.
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
        MessageStream rest = hasNewer ? newer : older;
        count = copy(rest, rest.end, count, onlyPuts);
      } else {
        count = onlyPuts ? mergePuts(count) : mergeAny(count);
      }
    }
    return begin(count, onlyPuts);
  }

  private int copy(MessageStream from, int end, int count, boolean onlyPuts) {
    int some = Math.min(BLOCK - count, end - from.at);
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

  /** Merges until a block is used up or this one is full: by vectors as far as they get. */
  private int mergePuts(int count) {
    int merged = Ordered.SIMD ? mergeByVectors(count) : count;
    return newer.at < newer.end && older.at < older.end ? mergeOneByOne(merged) : merged;
  }

  /**
   * Merges whole vectors. What has come is dropped again if a key is in both streams: {@link
   * #mergeOneByOne} knows which message of the two is the newer one.
   */
  private int mergeByVectors(int count) {
    int end =
        MergeNetwork.merge(
            newer.keys,
            newer.values,
            newer.at,
            newer.end,
            older.keys,
            older.values,
            older.at,
            older.end,
            keys,
            values,
            count);
    if (end == count) {
      return count;
    }
    long last = keys[end - 1];
    int newerEnd = endOf(newer, last, end - count);
    int olderEnd = endOf(older, last, end - count);
    boolean isOfBoth = newerEnd - newer.at + olderEnd - older.at != end - count;
    if (isOfBoth || MergeNetwork.hasTwins(keys, count, end)) {
      return count;
    }
    newer.at = newerEnd;
    older.at = olderEnd;
    return end;
  }

  /** Returns where the messages end, among so many of a block's rest, that have keys up to one. */
  private static int endOf(MessageStream stream, long last, int count) {
    int to = Math.min(stream.end, stream.at + count);
    int end = Ordered.lowerBound(stream.keys, stream.at, to, last);
    return end < to && stream.keys[end] == last ? end + 1 : end;
  }

  private static int endOfNegative(MessageStream stream) {
    return Ordered.lowerBound(stream.keys, stream.at, stream.end, 0);
  }

  /**
   * Merges until a block is used up or this one is full. Which stream a message comes from can't be
   * predicted, so there is no branch on it, nor what the compiler would make one of.
   */
  private int mergeOneByOne(int count) {
    long[] newerKeys = newer.keys;
    long[] olderKeys = older.keys;
    int i = newer.at;
    int j = older.at;
    int newerEnd = newer.end;
    int olderEnd = older.end;
    // Those below zero come first: the difference of any two keys then fits into a long.
    if ((newerKeys[i] ^ olderKeys[j]) < 0) {
      MessageStream below = newerKeys[i] < 0 ? newer : older;
      return copy(below, endOfNegative(below), count, true);
    }
    if (newerKeys[i] < 0) {
      newerEnd = endOfNegative(newer);
      olderEnd = endOfNegative(older);
    }
    int to = count;
    while (i < newerEnd && j < olderEnd && to < BLOCK) {
      long key = newerKeys[i];
      long value = newer.values[i];
      long above = olderKeys[j] - key;
      long takesOlder = above >> (Long.SIZE - 1); // all bits, if the older one is below
      keys[to] = key + (above & takesOlder);
      values[to] = value + ((older.values[j] - value) & takesOlder);
      i += 1 + (int) takesOlder;
      j += (int) ((above - 1) >>> (Long.SIZE - 1)); // also if the keys are the same
      to++;
    }
    newer.at = i;
    older.at = j;
    return to;
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
