// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * A key with its value, to be filled again and again: {@link LongNavigable#floor} and the like put
 * into it what they find, and allocate nothing. It is a copy, on which changes of the index have no
 * effect. Not for use by several threads at once.
 */
public final class LongEntry {
  private long key;
  private long value;

  /** Creates an entry whose key and value are 0, to be filled. */
  public LongEntry() {}

  /** Returns the key. */
  public long key() {
    return key;
  }

  /** Returns the value. */
  public long value() {
    return value;
  }

  /** Sets key and value. */
  public void set(long key, long value) {
    this.key = key;
    this.value = value;
  }

  /** Sets the value. */
  public void setValue(long value) {
    this.value = value;
  }

  /** Takes over the entry that a cursor is on, if it is on one; returns whether it is. */
  boolean take(LongCursor cursor, boolean isOnEntry) {
    if (isOnEntry) {
      set(cursor.key(), cursor.value());
    }
    return isOnEntry;
  }

  /** Returns key and value, such as {@code 3=30}. */
  @Override
  public String toString() {
    return key + "=" + value;
  }
}
