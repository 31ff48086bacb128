// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Entries that were taken out of pages, with whole keys as far as pages have them, to be divided
 * among pages anew. Entry 0 of an inner page has no separator; here its key is empty.
 */
final class EntryList {
  int count;

  private byte[] bytes = new byte[1 << 10];
  private int used;
  private int[] keyAt = new int[64];
  private int[] keyBytes = new int[64];
  private int[] keyLength = new int[64];
  private int[] keyChain = new int[64];
  private int[] valueAt = new int[64];
  private int[] valueLength = new int[64];
  private int[] valueChain = new int[64];
  private int[] child = new int[64];

  void clear() {
    count = 0;
    used = 0;
  }

  // ---------------------------------------------------------------- fill

  /** Adds all entries of a page behind the others. */
  void addPage(PageLayout layout, MemorySegment pages, long page) {
    int prefix = PageLayout.prefix(pages, page);
    long prefixAt = layout.prefixAt(pages, page);
    boolean isInner = PageLayout.isInner(pages, page);
    int entries = PageLayout.count(pages, page);
    for (int i = 0; i < entries; i++) {
      long slot = PageLayout.slot(pages, page, i);
      int remainder = PageLayout.remainder(pages, slot);
      int length = isInner && i == 0 ? 0 : prefix + remainder;
      int entry = add(count, length);
      if (length > 0) {
        copy(pages, prefixAt, keyAt[entry], prefix);
        int inHead = Math.min(remainder, Long.BYTES);
        KeyOrder.bytesOf(PageLayout.head(pages, page, i), bytes, keyAt[entry] + prefix, inHead);
        copy(
            pages,
            PageLayout.record(pages, page, slot),
            keyAt[entry] + prefix + inHead,
            remainder - inHead);
      }
      if (PageLayout.isKeyInChain(pages, slot)) {
        long reference = PageLayout.keyReference(pages, page, slot);
        keyChain[entry] = PageLayout.referredPage(pages, reference);
        keyLength[entry] = PageLayout.referredLength(pages, reference);
      }
      child[entry] = isInner ? PageLayout.child(pages, page, i) : 0;
      addValue(entry, pages, page, slot);
    }
  }

  private void addValue(int entry, MemorySegment pages, long page, long slot) {
    long at = PageLayout.valueAt(pages, page, slot);
    if (PageLayout.isValueInChain(pages, slot)) {
      valueChain[entry] = PageLayout.referredPage(pages, at);
      valueLength[entry] = PageLayout.referredLength(pages, at);
      return;
    }
    int length = PageLayout.valueBytes(pages, slot);
    valueAt[entry] = take(length);
    valueLength[entry] = length;
    copy(pages, at, valueAt[entry], length);
  }

  /** Adds an entry. */
  void insert(int i, NewEntry entry) {
    int at = add(i, entry.keyBytes);
    copy(entry.key, 0, keyAt[at], entry.keyBytes);
    keyLength[at] = entry.keyLength;
    keyChain[at] = entry.keyChain;
    child[at] = entry.child;
    setValue(at, entry);
  }

  /** Gives an entry another value. */
  void setValue(int i, NewEntry entry) {
    valueChain[i] = entry.valueChain;
    valueLength[i] = entry.valueLength;
    if (entry.valueChain == 0) {
      valueAt[i] = take(entry.valueLength);
      copy(entry.value, 0, valueAt[i], entry.valueLength);
    }
  }

  /** Gives an entry the key of another list's. */
  void setKey(int i, EntryList other, int from) {
    int length = other.keyBytes[from];
    keyAt[i] = take(length);
    System.arraycopy(other.bytes, other.keyAt[from], bytes, keyAt[i], length);
    keyBytes[i] = length;
    keyLength[i] = other.keyLength[from];
    keyChain[i] = other.keyChain[from];
  }

  /** Takes the key of an entry away, which is to be the first of an inner page. */
  void removeKey(int i) {
    keyBytes[i] = 0;
    keyLength[i] = 0;
    keyChain[i] = 0;
  }

  /** Keeps only the entries from one on. */
  void removeUpTo(int from) {
    EntryList rest = new EntryList();
    for (int i = from; i < count; i++) {
      rest.addFrom(this, i);
    }
    clear();
    for (int i = 0; i < rest.count; i++) {
      addFrom(rest, i);
    }
  }

  private void addFrom(EntryList other, int from) {
    int at = add(count, other.keyBytes[from]);
    System.arraycopy(other.bytes, other.keyAt[from], bytes, keyAt[at], keyBytes[at]);
    keyLength[at] = other.keyLength[from];
    keyChain[at] = other.keyChain[from];
    child[at] = other.child[from];
    valueLength[at] = other.valueLength[from];
    valueChain[at] = other.valueChain[from];
    if (valueChain[at] == 0) {
      valueAt[at] = take(valueLength[at]);
      System.arraycopy(other.bytes, other.valueAt[from], bytes, valueAt[at], valueLength[at]);
    }
  }

  private int add(int i, int length) {
    if (count == keyAt.length) {
      keyAt = Arrays.copyOf(keyAt, 2 * count);
      keyBytes = Arrays.copyOf(keyBytes, 2 * count);
      keyLength = Arrays.copyOf(keyLength, 2 * count);
      keyChain = Arrays.copyOf(keyChain, 2 * count);
      valueAt = Arrays.copyOf(valueAt, 2 * count);
      valueLength = Arrays.copyOf(valueLength, 2 * count);
      valueChain = Arrays.copyOf(valueChain, 2 * count);
      child = Arrays.copyOf(child, 2 * count);
    }
    if (i < count) {
      shift(keyAt, i);
      shift(keyBytes, i);
      shift(keyLength, i);
      shift(keyChain, i);
      shift(valueAt, i);
      shift(valueLength, i);
      shift(valueChain, i);
      shift(child, i);
    }
    count++;
    keyAt[i] = take(length);
    keyBytes[i] = length;
    keyLength[i] = length;
    keyChain[i] = 0;
    valueLength[i] = 0;
    valueChain[i] = 0;
    child[i] = 0;
    return i;
  }

  private void shift(int[] numbers, int from) {
    System.arraycopy(numbers, from, numbers, from + 1, count - from);
  }

  private int take(int length) {
    if (used + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(used + length, 2 * bytes.length));
    }
    used += length;
    return used - length;
  }

  private void copy(MemorySegment from, long at, int to, int length) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, to, length);
  }

  // ---------------------------------------------------------------- look

  int keyBytes(int i) {
    return keyBytes[i];
  }

  int keyLength(int i) {
    return keyLength[i];
  }

  int keyChain(int i) {
    return keyChain[i];
  }

  /** Returns the length of the longest key that has a chain, or 0. */
  int longestChainedKey() {
    int longest = 0;
    for (int i = 0; i < count; i++) {
      if (keyChain[i] != 0) {
        longest = Math.max(longest, keyLength[i]);
      }
    }
    return longest;
  }

  /** Returns the first bytes of a key, at most so many. */
  byte[] beginning(int i, int most) {
    return Arrays.copyOfRange(bytes, keyAt[i], keyAt[i] + Math.min(keyBytes[i], most));
  }

  /** Returns how many bytes two keys have in common at their beginnings in the page. */
  int common(int i, int j) {
    int least = Math.min(keyBytes[i], keyBytes[j]);
    int differ =
        Arrays.mismatch(bytes, keyAt[i], keyAt[i] + least, bytes, keyAt[j], keyAt[j] + least);
    return differ < 0 ? least : differ;
  }

  /** Returns the bytes of an entry's record but its key. */
  private int restBytes(int i) {
    return (keyChain[i] != 0 ? PageLayout.REFERENCE_BYTES : 0)
        + (valueChain[i] != 0 ? PageLayout.REFERENCE_BYTES : valueLength[i]);
  }

  /** Returns the bytes of an entry's record in a page with a prefix. */
  int recordBytes(int i, int prefix) {
    return PageLayout.tailBytes(keyBytes[i] - prefix) + restBytes(i);
  }

  /** Makes a {@link NewEntry} of an entry, or a separator of it. */
  void to(int i, NewEntry entry) {
    entry.key = MemorySegment.ofArray(bytes).asSlice(keyAt[i], keyBytes[i]);
    entry.keyBytes = keyBytes[i];
    entry.keyLength = keyLength[i];
    entry.keyChain = keyChain[i];
    entry.valueChain = valueChain[i];
    entry.valueLength = valueLength[i];
    entry.value =
        MemorySegment.ofArray(bytes)
            .asSlice(valueChain[i] != 0 ? 0 : valueAt[i], valueChain[i] != 0 ? 0 : valueLength[i]);
    entry.child = child[i];
  }
}
