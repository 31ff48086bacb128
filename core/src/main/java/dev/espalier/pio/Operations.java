// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.support.Message;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Operations in arrays, sorted by key, at most one for each: what is merged of several pages, the
 * older first. It has memory of its own, which grows as needed and is kept.
 */
final class Operations {
  long[] keys;
  long[] values;
  byte[] kinds;
  int count;

  private long[] otherKeys;
  private long[] otherValues;
  private byte[] otherKinds;

  Operations(int room) {
    keys = new long[room];
    values = new long[room];
    kinds = new byte[room];
    otherKeys = new long[room];
    otherValues = new long[room];
    otherKinds = new byte[room];
  }

  void clear() {
    count = 0;
  }

  private void makeRoom(int room) {
    if (room > keys.length) {
      int more = Math.max(room, 2 * keys.length);
      keys = Arrays.copyOf(keys, more);
      values = Arrays.copyOf(values, more);
      kinds = Arrays.copyOf(kinds, more);
    }
    if (room > otherKeys.length) {
      otherKeys = new long[keys.length];
      otherValues = new long[keys.length];
      otherKinds = new byte[keys.length];
    }
  }

  private void exchange(int newCount) {
    long[] ofKeys = keys;
    keys = otherKeys;
    otherKeys = ofKeys;
    long[] ofValues = values;
    values = otherValues;
    otherValues = ofValues;
    byte[] ofKinds = kinds;
    kinds = otherKinds;
    otherKinds = ofKinds;
    count = newCount;
  }

  /** Adds an operation whose key is above all others. */
  void add(long key, long value, int kind) {
    makeRoom(count + 1);
    keys[count] = key;
    values[count] = value;
    kinds[count++] = (byte) kind;
  }

  /**
   * Applies the operations of a page, which are newer: they take the place of those of their keys.
   * O(operations of both).
   *
   * @param from the first slot of the page to be applied
   * @param to the slot after the last
   */
  void apply(EntryPage layout, MemorySegment pages, long page, int from, int to) {
    makeRoom(count + to - from);
    int older = 0;
    int written = 0;
    for (int slot = from; slot < to; slot++) {
      long key = EntryPage.key(pages, page, slot);
      while (older < count && keys[older] < key) {
        take(written++, keys[older], values[older], kinds[older]);
        older++;
      }
      older += older < count && keys[older] == key ? 1 : 0;
      take(written++, key, layout.value(pages, page, slot), layout.kind(pages, page, slot));
    }
    int rest = count - older;
    System.arraycopy(keys, older, otherKeys, written, rest);
    System.arraycopy(values, older, otherValues, written, rest);
    System.arraycopy(kinds, older, otherKinds, written, rest);
    exchange(written + rest);
  }

  private void take(int at, long key, long value, int kind) {
    otherKeys[at] = key;
    otherValues[at] = value;
    otherKinds[at] = (byte) kind;
  }

  /** Removes the deletions: of the operations of a whole leaf, that leaves its entries. */
  void dropDeletes() {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (kinds[i] != Message.DELETE) {
        keys[kept] = keys[i];
        values[kept] = values[i];
        kinds[kept++] = kinds[i];
      }
    }
    count = kept;
  }

  /** Removes operations; {@code to} is after the last. */
  void remove(int from, int to) {
    System.arraycopy(keys, to, keys, from, count - to);
    System.arraycopy(values, to, values, from, count - to);
    System.arraycopy(kinds, to, kinds, from, count - to);
    count -= to - from;
  }

  /** Removes all but the operations of an interval, both ends included. */
  void keep(long low, long high) {
    if (count > 0 && keys[count - 1] > high) {
      count = lowerBound(high + 1);
    }
    if (count > 0 && keys[0] < low) {
      remove(0, lowerBound(low));
    }
  }

  /** Returns how many of the operations are puts. */
  int puts() {
    int puts = 0;
    for (int i = 0; i < count; i++) {
      puts += kinds[i] == Message.PUT ? 1 : 0;
    }
    return puts;
  }

  /** Returns how many keys are below {@code key}. */
  int lowerBound(long key) {
    int at = Arrays.binarySearch(keys, 0, count, key);
    return at < 0 ? ~at : at;
  }

  /** Writes operations into the slots of a page that is pinned, from the first on. */
  void store(EntryPage layout, MemorySegment pages, long page, int from, int number) {
    for (int i = 0; i < number; i++) {
      layout.set(pages, page, i, keys[from + i], values[from + i], kinds[from + i]);
    }
    EntryPage.count(pages, page, number);
  }
}
