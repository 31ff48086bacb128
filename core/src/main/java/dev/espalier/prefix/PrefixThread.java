// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What a thread needs for one call on a tree for many threads, and keeps for the next. */
final class PrefixThread {
  final PrefixLook look;

  /** What it writes. */
  final NewEntry entry = new NewEntry();

  /**
   * Whether a call is under way: one within that, by a reader of values, needs another of these.
   */
  boolean isBusy;

  /** The copy of a value, and its length. */
  private byte[] copy = new byte[256];

  private MemorySegment copyMemory = MemorySegment.ofArray(copy).asReadOnly();

  /** Length of the value that was found. */
  int valueLength;

  /** What refers to the chain that has the value, or 0 if it was copied. */
  int valueChain;

  private final PrefixStructure tree;

  PrefixThread(PrefixStructure tree, PrefixSpace space) {
    this.tree = tree;
    this.look = new PrefixLook(tree, space);
  }

  /** Copies the value of an entry of the page that is looked at, unless it is in a chain. */
  void readValue(int i) {
    MemorySegment pages = tree.pages;
    long page = look.at;
    long slot = PageLayout.slot(pages, page, i);
    long value = PageLayout.valueAt(pages, page, slot);
    if (PageLayout.isValueInChain(pages, slot)) {
      valueChain = PageLayout.referredPage(pages, value);
      valueLength = tree.chain.checkedLength(PageLayout.referredLength(pages, value));
      return;
    }
    int bytes = PageLayout.valueBytes(pages, slot);
    valueChain = 0;
    valueLength = bytes;
    if (bytes > copy.length) {
      copy = new byte[2 * bytes];
      copyMemory = MemorySegment.ofArray(copy).asReadOnly();
    }
    MemorySegment.copy(pages, ValueLayout.JAVA_BYTE, value, copy, 0, bytes);
  }

  /** Returns the value, which was copied or is in a chain that nobody frees. */
  byte[] value() {
    byte[] value = new byte[valueLength];
    if (valueChain == 0) {
      System.arraycopy(copy, 0, value, 0, valueLength);
    } else {
      tree.chain.copy(valueChain, valueLength, value, 0);
    }
    return value;
  }

  /** Copies as much of the value to a memory as there is room for; within the same operation. */
  void copyValue(MemorySegment into) {
    long room = Math.min(valueLength, into.byteSize());
    if (valueChain == 0) {
      MemorySegment.copy(copyMemory, 0, into, 0, room);
    } else {
      tree.chain.read(
          valueChain,
          0,
          (int) room,
          (piece, from, bytes, position, _) ->
              MemorySegment.copy(piece, from, into, position, bytes));
    }
  }

  /** Returns what the copy of a value is in, from its beginning. */
  MemorySegment copied() {
    return copyMemory;
  }
}
