// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** What a cursor of an index behind a lock does, over another cursor of an index without one. */
final class CopyingCursor implements LongCursor {
  private final LongCursor cursor;

  private boolean onEntry;
  private long key;
  private long value;

  CopyingCursor(LongCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * Tells whether the cursors of an index keep copies of key and value: those of stores do, unless
   * the tree takes many threads by itself.
   */
  static boolean copies(LongIndex index) {
    try (LongIndex tree = index.variant().create(IndexOptions.DEFAULT)) {
      return index instanceof ConcurrentLongIndex
          && !(index instanceof PartitionedIndex)
          && !(tree instanceof ConcurrentLongIndex);
    }
  }

  private boolean take(boolean found) {
    onEntry = found;
    if (found) {
      key = cursor.key();
      value = cursor.value();
    }
    return found;
  }

  private void checkOnEntry() {
    if (!onEntry) {
      throw new IllegalStateException("the cursor is on no entry");
    }
  }

  @Override
  public boolean first() {
    return take(cursor.first());
  }

  @Override
  public boolean last() {
    return take(cursor.last());
  }

  @Override
  public boolean floor(long sought) {
    return take(cursor.floor(sought));
  }

  @Override
  public boolean ceiling(long sought) {
    return take(cursor.ceiling(sought));
  }

  @Override
  public boolean lower(long sought) {
    return take(cursor.lower(sought));
  }

  @Override
  public boolean higher(long sought) {
    return take(cursor.higher(sought));
  }

  @Override
  public boolean next() {
    return take(cursor.next());
  }

  @Override
  public boolean previous() {
    return take(cursor.previous());
  }

  @Override
  public boolean nextRun(LongRun run) {
    return take(cursor.nextRun(run));
  }

  @Override
  public long key() {
    checkOnEntry();
    return key;
  }

  @Override
  public long value() {
    checkOnEntry();
    return value;
  }

  @Override
  public void setValue(long newValue) {
    checkOnEntry();
    cursor.setValue(newValue);
    value = newValue;
  }

  @Override
  public void remove() {
    checkOnEntry();
    cursor.remove();
    onEntry = false;
  }
}
