// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Message;
import dev.espalier.support.MessageColumns;
import java.lang.foreign.MemorySegment;

/**
 * An inner page: up to {@code fanout} children with the separators between them, and in the rest of
 * it the buffer, an array of messages sorted by key, at most one for each key.
 *
 * <pre>
 *  0        32                          childrenOffset         messagesOffset
 *  | header | separator 0 .. fanout-2 | child 0 .. fanout-1 | messages, as MessageColumns has them |
 *             longs                     ints
 * </pre>
 *
 * Keys up to separator 0 are below child 0, those above it up to separator 1 below child 1, and so
 * on. 16 KiB and a fanout of 16: 898 messages.
 */
final class InnerPage {
  static final int SEPARATORS_OFFSET = NodePage.BYTES;

  /** Most children. */
  final int fanout;

  final int childrenOffset;

  /** Where the messages begin, with their keys. */
  final int messagesOffset;

  /** Most messages: the buffer's size. */
  final int capacity;

  /**
   * Lays out a page.
   *
   * @throws IllegalArgumentException if there is no room for as many messages as children
   */
  InnerPage(int pageBytes, int fanout) {
    this.fanout = fanout;
    childrenOffset = SEPARATORS_OFFSET + (fanout - 1) * Long.BYTES;
    messagesOffset = (childrenOffset + fanout * Integer.BYTES + Long.BYTES - 1) & -Long.BYTES;
    capacity = (pageBytes - messagesOffset) / MessageColumns.MESSAGE_BYTES;
    if (capacity < fanout) {
      throw new IllegalArgumentException(
          "fanout is %d; a page of %d bytes then has room for %d messages, but needs at least %d"
              .formatted(fanout, pageBytes, Math.max(capacity, 0), fanout));
    }
  }

  // ---------------------------------------------------------------- children

  int checkedChildren(MemorySegment pages, long page) {
    return NodePage.checked(page, NodePage.count(pages, page), 1, fanout);
  }

  /** Returns the number of the child below which {@code key} is or belongs. */
  int childSlot(MemorySegment pages, long page, long key) {
    return Keys.lowerBoundBinary(
        pages, page + SEPARATORS_OFFSET, NodePage.count(pages, page) - 1, key);
  }

  int child(MemorySegment pages, long page, int slot) {
    return getInt(pages, page + childrenOffset + ((long) slot << 2));
  }

  void child(MemorySegment pages, long page, int slot, int child) {
    putInt(pages, page + childrenOffset + ((long) slot << 2), child);
  }

  static long separator(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + SEPARATORS_OFFSET + ((long) slot << 3));
  }

  static void separator(MemorySegment pages, long page, int slot, long separator) {
    putLong(pages, page + SEPARATORS_OFFSET + ((long) slot << 3), separator);
  }

  /** Removes a child, which is not the only one, and the separator before it, or behind slot 0. */
  void removeChild(MemorySegment pages, long page, int slot) {
    int count = checkedChildren(pages, page);
    NodePage.checked(page, slot, 0, count - 1);
    Slots.closeGap(pages, page + SEPARATORS_OFFSET, Math.max(slot - 1, 0), count - 1);
    long to = page + childrenOffset + ((long) slot << 2);
    Words.copy(pages, to + Integer.BYTES, to, (long) (count - slot - 1) << 2);
    NodePage.count(pages, page, count - 1);
  }

  // ---------------------------------------------------------------- messages

  int checkedMessages(MemorySegment pages, long page) {
    return NodePage.checked(page, NodePage.messages(pages, page), 0, capacity);
  }

  /** Returns how many messages are for keys below {@code key}. */
  int messageSlot(MemorySegment pages, long page, int messages, long key) {
    return Keys.lowerBoundBinary(pages, page + messagesOffset, messages, key);
  }

  /** Returns how many messages are for keys up to {@code key}. */
  int messagesUpTo(MemorySegment pages, long page, int messages, long key) {
    return key == Long.MAX_VALUE ? messages : messageSlot(pages, page, messages, key + 1);
  }

  long messageKey(MemorySegment pages, long page, int slot) {
    return MessageColumns.key(pages, page + messagesOffset, slot);
  }

  long messageValue(MemorySegment pages, long page, int slot) {
    return MessageColumns.value(pages, page + messagesOffset, capacity, slot);
  }

  int messageKind(MemorySegment pages, long page, int slot) {
    return MessageColumns.kind(pages, page + messagesOffset, capacity, slot);
  }

  void message(MemorySegment pages, long page, int slot, long key, long value, int kind) {
    MessageColumns.set(pages, page + messagesOffset, capacity, slot, key, value, kind);
  }

  /**
   * Combines a message with an older one of the same key, if there is one. Returns whether there
   * is.
   */
  boolean combine(MemorySegment pages, long page, int kind, long key, long value) {
    int messages = checkedMessages(pages, page);
    int slot = messageSlot(pages, page, messages, key);
    return combineAt(pages, page, slot, messages, kind, key, value);
  }

  private boolean combineAt(
      MemorySegment pages, long page, int slot, int messages, int kind, long key, long value) {
    if (slot == messages || messageKey(pages, page, slot) != key) {
      return false;
    }
    long older = messageValue(pages, page, slot);
    int combined = Message.combinedKind(kind, messageKind(pages, page, slot));
    message(pages, page, slot, key, Message.combinedValue(kind, value, older), combined);
    return true;
  }

  /**
   * Adds a message to the buffer, or combines it with the one of the same key that is there.
   * Returns false if there is no room.
   */
  boolean enter(MemorySegment pages, long page, int kind, long key, long value) {
    int messages = checkedMessages(pages, page);
    int slot = messageSlot(pages, page, messages, key);
    if (combineAt(pages, page, slot, messages, kind, key, value)) {
      return true;
    }
    if (messages == capacity) {
      return false;
    }
    MessageColumns.openGap(pages, page + messagesOffset, capacity, slot, messages);
    message(pages, page, slot, key, value, kind);
    NodePage.messages(pages, page, messages + 1);
    return true;
  }

  /** Removes the message of a key; returns whether there is one. */
  boolean remove(MemorySegment pages, long page, long key) {
    int messages = checkedMessages(pages, page);
    int slot = messageSlot(pages, page, messages, key);
    boolean isThere = slot < messages && messageKey(pages, page, slot) == key;
    if (isThere) {
      removeMessages(pages, page, slot, slot + 1);
    }
    return isThere;
  }

  /** Removes the messages {@code from} to {@code to - 1}. */
  void removeMessages(MemorySegment pages, long page, int from, int to) {
    int messages = checkedMessages(pages, page);
    NodePage.checked(page, to, from, messages);
    copyMessages(pages, page, to, page, from, messages - to);
    NodePage.messages(pages, page, messages - (to - from));
  }

  /** Copies messages to slots of another page, or of the same one. */
  void copyMessages(MemorySegment pages, long page, int from, long toPage, int to, int count) {
    MessageColumns.copy(
        pages, page + messagesOffset, from, toPage + messagesOffset, to, capacity, count);
  }
}
