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
   * predicted, so there is no branch on it, nor what the compiler would make one of. Each step then
   * waits for the one before; so the messages are divided into a lower and an upper half, and both
   * are merged at once.
   */
  private int mergePuts(int count) {
    int i = newer.at;
    int j = older.at;
    long lowest = Math.min(newer.keys[i], older.keys[j]);
    long last = Math.min(newer.keys[newer.end - 1], older.keys[older.end - 1]);
    if (lowest < 0 && last - lowest < 0) {
      last = -1; // First those below zero: the difference of any two keys then fits into a long.
    }
    int newerEnd = endOf(newer, last);
    int olderEnd = endOf(older, last);
    int room = BLOCK - count;
    if (newerEnd - i + olderEnd - j > room) {
      int taken = newerAmongFirst(room, newerEnd, olderEnd);
      olderEnd = olderEndBeside(i + taken, j + room - taken, olderEnd);
      newerEnd = i + taken;
    }
    int half = (newerEnd - i + olderEnd - j) / 2;
    int newerMiddle = i + newerAmongFirst(half, newerEnd, olderEnd);
    int olderMiddle = olderEndBeside(newerMiddle, j + half - (newerMiddle - i), olderEnd);
    int to = mergeHalves(newerMiddle, newerEnd, olderMiddle, olderEnd, count);
    newer.at = newerEnd;
    older.at = olderEnd;
    return to;
  }

  /** Returns where the messages of a block's rest end that have keys up to {@code last}. */
  private static int endOf(MessageStream stream, long last) {
    if (stream.keys[stream.end - 1] <= last) {
      return stream.end;
    }
    int end = Ordered.lowerBound(stream.keys, stream.at, stream.end, last);
    return stream.keys[end] == last ? end + 1 : end;
  }

  /** Returns how many of the first messages of both blocks, in key order, are the newer one's. */
  private int newerAmongFirst(int messages, int newerEnd, int olderEnd) {
    int low = Math.max(0, messages - (olderEnd - older.at));
    int high = Math.min(messages, newerEnd - newer.at);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (newer.keys[newer.at + middle] <= older.keys[older.at + messages - 1 - middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the end of a part of the older block, moved so that no key is divided by it. */
  private int olderEndBeside(int newerEnd, int end, int olderEnd) {
    boolean divided =
        newerEnd > newer.at && end < olderEnd && newer.keys[newerEnd - 1] == older.keys[end];
    return divided ? end + 1 : end;
  }

  /** Merges the messages up to the middles, and at the same time those from there to the ends. */
  private int mergeHalves(int newerMiddle, int newerEnd, int olderMiddle, int olderEnd, int count) {
    long[] newerKeys = newer.keys;
    long[] newerValues = newer.values;
    long[] olderKeys = older.keys;
    long[] olderValues = older.values;
    long[] toKeys = keys;
    long[] toValues = values;
    int i = newer.at;
    int j = older.at;
    int k = newerMiddle;
    int l = olderMiddle;
    int to = count;
    int start = count + newerMiddle - i + olderMiddle - j;
    int upperTo = start;
    for (int steps = steps(newerMiddle - i, olderMiddle - j, newerEnd - k, olderEnd - l);
        steps > 0;
        steps = steps(newerMiddle - i, olderMiddle - j, newerEnd - k, olderEnd - l)) {
      for (int step = 0; step < steps; step++) {
        long key = newerKeys[i];
        long value = newerValues[i];
        long above = olderKeys[j] - key;
        long takesOlder = above >> (Long.SIZE - 1); // all bits, if the older one is below
        toKeys[to + step] = key + (above & takesOlder);
        toValues[to + step] = value + ((olderValues[j] - value) & takesOlder);
        i += 1 + (int) takesOlder;
        j += (int) ((above - 1) >>> (Long.SIZE - 1)); // also if the keys are the same
        long upperKey = newerKeys[k];
        long upperValue = newerValues[k];
        long upperAbove = olderKeys[l] - upperKey;
        long upperTakesOlder = upperAbove >> (Long.SIZE - 1);
        toKeys[upperTo + step] = upperKey + (upperAbove & upperTakesOlder);
        toValues[upperTo + step] = upperValue + ((olderValues[l] - upperValue) & upperTakesOlder);
        k += 1 + (int) upperTakesOlder;
        l += (int) ((upperAbove - 1) >>> (Long.SIZE - 1));
      }
      to += steps;
      upperTo += steps;
    }
    to = mergeRest(i, newerMiddle, j, olderMiddle, to);
    upperTo = mergeRest(k, newerEnd, l, olderEnd, upperTo);
    if (to < start) {
      // Some keys were in both, so there is a gap between the halves.
      System.arraycopy(keys, start, keys, to, upperTo - start);
      System.arraycopy(values, start, values, to, upperTo - start);
    }
    return to + upperTo - start;
  }

  /** Returns for how many steps no part can be used up. */
  private static int steps(int newerLeft, int olderLeft, int upperNewerLeft, int upperOlderLeft) {
    return Math.min(Math.min(newerLeft, olderLeft), Math.min(upperNewerLeft, upperOlderLeft));
  }

  /** Merges the messages up to two ends, and returns where their places end. */
  private int mergeRest(int from, int newerEnd, int olderFrom, int olderEnd, int count) {
    int i = from;
    int j = olderFrom;
    int to = count;
    while (i < newerEnd && j < olderEnd) {
      long key = newer.keys[i];
      long value = newer.values[i];
      long above = older.keys[j] - key;
      long takesOlder = above >> (Long.SIZE - 1);
      keys[to] = key + (above & takesOlder);
      values[to] = value + ((older.values[j] - value) & takesOlder);
      i += 1 + (int) takesOlder;
      j += (int) ((above - 1) >>> (Long.SIZE - 1));
      to++;
    }
    System.arraycopy(newer.keys, i, keys, to, newerEnd - i);
    System.arraycopy(newer.values, i, values, to, newerEnd - i);
    to += newerEnd - i;
    System.arraycopy(older.keys, j, keys, to, olderEnd - j);
    System.arraycopy(older.values, j, values, to, olderEnd - j);
    return to + olderEnd - j;
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
