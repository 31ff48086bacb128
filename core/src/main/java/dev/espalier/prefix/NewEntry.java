// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An entry on its way into a page: a key with its value, or a separator with the child behind it.
 */
final class NewEntry {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  /** The key, of which at least {@link #keyBytes} are there. */
  MemorySegment key = NOTHING;

  /** Length of the whole key. */
  int keyLength;

  /** How many of its bytes are in the page. */
  int keyBytes;

  /** First page of the chain with the others, or 0. */
  int keyChain;

  MemorySegment value = NOTHING;
  int valueLength;

  /** What refers to the chain with the value, or 0. */
  int valueChain;

  /** Where that is to lie, or lies, as long as it is not part of a tree for many threads. */
  @Nullable PlacedValue placed;

  /** In an inner page. */
  int child;

  /** Makes this the entry of a key and a value, without chains. */
  void entry(MemorySegment newKey, MemorySegment newValue, PageLayout layout) {
    separator(newKey, (int) newKey.byteSize(), 0, layout);
    value = newValue;
    valueLength = (int) newValue.byteSize();
  }

  /** Makes this a separator with a child. */
  void separator(MemorySegment separator, int length, int newChild, PageLayout layout) {
    key = separator;
    keyLength = length;
    keyBytes = Math.min(length, layout.keyBytes);
    keyChain = 0;
    value = NOTHING;
    valueLength = 0;
    forgetValueChain();
    child = newChild;
  }

  void forgetValueChain() {
    valueChain = 0;
    placed = null;
  }

  /** Forgets key and value, which are their owner's. */
  void forget() {
    key = NOTHING;
    value = NOTHING;
  }

  /** Returns the bytes of the value in the page, or of the reference to it. */
  int valueBytes() {
    return valueChain != 0 ? PageLayout.REFERENCE_BYTES : valueLength;
  }

  /** Returns the bytes of the record in a page with a prefix. */
  int recordBytes(int prefix) {
    return PageLayout.tailBytes(keyBytes - prefix)
        + (keyChain != 0 ? PageLayout.REFERENCE_BYTES : 0)
        + valueBytes();
  }

  /** Writes the record to its place, and the entry to the arrays. */
  void insert(MemorySegment pages, long page, int i, int prefix, int offset) {
    int remainder = keyBytes - prefix;
    long at = page + offset;
    int tail = PageLayout.tailBytes(remainder);
    if (tail > 0) {
      MemorySegment.copy(key, prefix + (long) Long.BYTES, pages, at, tail);
      at += tail;
    }
    if (keyChain != 0) {
      PageLayout.refer(pages, at, keyChain, keyLength);
      at += PageLayout.REFERENCE_BYTES;
    }
    writeValue(pages, at);
    PageLayout.insertSlot(
        pages,
        page,
        i,
        KeyOrder.head(key, prefix, remainder),
        child,
        // An empty record at the end of a page of 64 KiB would be at 65,536.
        recordBytes(prefix) == 0 ? 0 : offset,
        remainder | (keyChain != 0 ? PageLayout.IN_CHAIN : 0),
        valueBytes() | (valueChain != 0 ? PageLayout.IN_CHAIN : 0));
  }

  /** Writes the value, or the reference to it. */
  void writeValue(MemorySegment pages, long at) {
    if (valueChain != 0) {
      PageLayout.refer(pages, at, valueChain, valueLength);
    } else {
      MemorySegment.copy(value, 0, pages, at, valueLength);
    }
  }
}
