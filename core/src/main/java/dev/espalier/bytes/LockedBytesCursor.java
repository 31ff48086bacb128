// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A cursor of a {@link LockedBytesIndex}. Each move is one call under the lock, and copies the key
 * and the value, unless that is long: they belong together and stay as they were then, whatever
 * other threads write.
 *
 * <p>A scan by {@link #next} copies some entries at a time, and takes no lock to step from one to
 * the next, as long as the count of writes shows that nobody has written meanwhile (decision 59).
 */
final class LockedBytesCursor implements BytesCursor {
  /** Longer values are not copied: a scan that only wants keys would pay for them, too. */
  static final int COPIED_BYTES = 64 << 10;

  /** In place of a longest value to be copied: no value is. */
  private static final long NONE = -1;

  /** Entries that are copied at a time at most: with so many, the lock costs little. */
  private static final int MOST_ENTRIES = 32;

  /** No more entries are copied once they have so many bytes: a scan may end before them. */
  private static final int MOST_BYTES = 4 << 10;

  /**
   * Steps that are made one by one after a writer has come between: where writers never pause,
   * copies of further entries would hardly be used.
   */
  private static final int STEPS_BESIDE_WRITERS = 16;

  private final LockedBytesIndex index;
  private final BytesCursor cursor;
  private final ValueReader copier = this::copyPiece;

  /** Length of the longest values that are copied. */
  private long longest = COPIED_BYTES;

  /** The copied keys and values, one behind the other. */
  private byte[] bytes = new byte[256];

  private MemorySegment memory = MemorySegment.ofArray(bytes).asReadOnly();
  private int used;

  /** Of each copied entry: where its key and its value are. */
  private final int[] keyAt = new int[MOST_ENTRIES];

  private final int[] valueAt = new int[MOST_ENTRIES];

  /** Length of the copy of the value, or -1 if it was not copied. */
  private final int[] valueLength = new int[MOST_ENTRIES];

  private int copied;

  /** The key that a step leaves. */
  private byte[] left = new byte[64];

  /** The copied entry at which this cursor is, or was before it was removed. */
  private int at;

  private boolean onEntry;

  /** Whether the cursor of the index is no longer on the last of them. */
  private boolean isPast;

  /** The count of writes when they were copied. */
  private long count;

  /** Steps to be made one by one before more entries are copied: a scan may end after the first. */
  private int stepsToCopying = 1;

  LockedBytesCursor(LockedBytesIndex index, BytesCursor cursor) {
    this.index = index;
    this.cursor = cursor;
  }

  @Override
  public void expectValues(Expected expected) {
    longest =
        switch (expected) {
          case NONE -> NONE;
          case SHORT -> COPIED_BYTES;
          case ALL -> Integer.MAX_VALUE;
        };
  }

  // ---------------------------------------------------------------- move

  @Override
  public boolean first() {
    index.beginRead();
    try {
      return seek(cursor.first());
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean last() {
    index.beginRead();
    try {
      return seek(cursor.last());
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean floor(MemorySegment key) {
    index.beginRead();
    try {
      return seek(cursor.floor(key));
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    index.beginRead();
    try {
      return seek(cursor.ceiling(key));
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean lower(MemorySegment key) {
    index.beginRead();
    try {
      return seek(cursor.lower(key));
    } finally {
      index.endRead();
    }
  }

  @Override
  public boolean higher(MemorySegment key) {
    index.beginRead();
    try {
      return seek(cursor.higher(key));
    } finally {
      index.endRead();
    }
  }

  private boolean seek(boolean found) {
    stepsToCopying = 1;
    return take(found);
  }

  @Override
  public boolean next() {
    if (at + 1 < copied && index.isUnchanged(count)) {
      BytesView.checkOpen(index);
      at++;
      onEntry = true;
      return true;
    }
    index.beginRead();
    try {
      return copied == 0 ? nextUnderLock() : ascend();
    } finally {
      index.endRead();
    }
  }

  /**
   * Goes on to greater keys. Copying goes past entries and has to find them again, so scans end
   * only because keys ascend; in pages that lie they may not.
   */
  private boolean ascend() {
    int length = valueAt[at] - keyAt[at];
    if (left.length < length) {
      left = new byte[length];
    }
    System.arraycopy(bytes, keyAt[at], left, 0, length);
    boolean found = nextUnderLock();
    if (found) {
      int last = copied - 1;
      if (Arrays.compareUnsigned(bytes, keyAt[last], valueAt[last], left, 0, length) <= 0) {
        throw Torn.torn("keys are out of order");
      }
    }
    return found;
  }

  private boolean nextUnderLock() {
    if (isAstray()) {
      if (!isPast) {
        stepsToCopying = STEPS_BESIDE_WRITERS;
      }
      return take(cursor.higher(copiedKey()));
    }
    count = index.count();
    if (stepsToCopying > 0) {
      stepsToCopying--;
      return take(cursor.next());
    }
    if (!take(cursor.next())) {
      return false;
    }
    copyMore();
    return true;
  }

  private void copyMore() {
    try {
      while (copied < MOST_ENTRIES && used < MOST_BYTES) {
        isPast = true;
        if (!cursor.next()) {
          return;
        }
        copy();
        isPast = false;
      }
    } catch (RuntimeException later) {
      // The step that gets there finds the same.
      isPast = true;
    }
  }

  @Override
  public boolean previous() {
    index.beginRead();
    try {
      return take(isAstray() ? cursor.lower(copiedKey()) : cursor.previous());
    } finally {
      index.endRead();
    }
  }

  @Override
  public void scanTo(MemorySegment key) {
    index.beginRead();
    try {
      cursor.scanTo(key);
    } finally {
      index.endRead();
    }
  }

  /** Tells whether the cursor of the index is elsewhere. */
  private boolean isAstray() {
    return at + 1 < copied || isPast;
  }

  /** Copies the entry while the lock is held. */
  private boolean take(boolean found) {
    onEntry = false;
    isPast = false;
    copied = 0;
    used = 0;
    at = 0;
    if (found) {
      copy();
      onEntry = true;
    }
    return found;
  }

  /** Copies an entry behind those that were copied. */
  private void copy() {
    MemorySegment key = cursor.key();
    int keyLength = (int) key.byteSize();
    makeRoom(keyLength);
    MemorySegment.copy(key, ValueLayout.JAVA_BYTE, 0, bytes, used, keyLength);
    keyAt[copied] = used;
    valueAt[copied] = used + keyLength;
    copyValue(copied);
    copied++;
  }

  /** Copies the value of an entry behind its key, which is the last that was copied. */
  private void copyValue(int entry) {
    used = valueAt[entry];
    valueLength[entry] = -1;
    long length = longest == NONE ? Long.MAX_VALUE : cursor.valueBytes();
    if (length <= longest) {
      makeRoom((int) length);
      cursor.value(copier);
      valueLength[entry] = (int) length;
      used += (int) length;
    }
  }

  private void copyPiece(MemorySegment piece, long from, long length, long position, long total) {
    MemorySegment.copy(
        piece, ValueLayout.JAVA_BYTE, from, bytes, used + (int) position, (int) length);
  }

  private void makeRoom(int more) {
    if (used + (long) more > bytes.length) {
      int room = (int) Math.clamp(2L * bytes.length, used + (long) more, Integer.MAX_VALUE - 8);
      bytes = Arrays.copyOf(bytes, room);
      memory = MemorySegment.ofArray(bytes).asReadOnly();
    }
  }

  // ---------------------------------------------------------------- the entry

  @Override
  public MemorySegment key() {
    checkOnEntry();
    return copiedKey();
  }

  private MemorySegment copiedKey() {
    return memory.asSlice(keyAt[at], valueAt[at] - (long) keyAt[at]);
  }

  @Override
  public byte[] keyArray() {
    checkOnEntry();
    return Arrays.copyOfRange(bytes, keyAt[at], valueAt[at]);
  }

  @Override
  public long valueBytes() {
    checkOnEntry();
    if (valueLength[at] >= 0) {
      return valueLength[at];
    }
    index.beginRead();
    try {
      comeHere();
      return cursor.valueBytes();
    } finally {
      index.endRead();
    }
  }

  @Override
  public void value(ValueReader reader) {
    checkOnEntry();
    index.beginRead();
    try {
      int length = valueLength[at];
      if (length >= 0) {
        reader.read(memory, valueAt[at], length, 0, length);
      } else {
        comeHere();
        cursor.value(reader);
      }
    } finally {
      index.endRead();
    }
  }

  @Override
  public byte[] valueArray() {
    checkOnEntry();
    if (valueLength[at] >= 0) {
      return Arrays.copyOfRange(bytes, valueAt[at], valueAt[at] + valueLength[at]);
    }
    index.beginRead();
    try {
      comeHere();
      return cursor.valueArray();
    } finally {
      index.endRead();
    }
  }

  @Override
  public void setValue(MemorySegment value) {
    checkOnEntry();
    index.beginWrite();
    try {
      comeHere();
      cursor.setValue(value);
      copyValue(at);
    } finally {
      index.endWrite();
    }
  }

  @Override
  public void remove() {
    checkOnEntry();
    index.beginWrite();
    try {
      comeHere();
      cursor.remove();
    } finally {
      index.endWrite();
    }
    onEntry = false;
  }

  /** Has the cursor of the index go to the entry; those copied behind it are given up. */
  private void comeHere() {
    if (isAstray()) {
      MemorySegment key = copiedKey();
      if (!cursor.floor(key) || cursor.key().mismatch(key) >= 0) {
        throw isGone();
      }
      copied = at + 1;
      isPast = false;
    }
  }

  private void checkOnEntry() {
    BytesView.checkOpen(index);
    if (!onEntry) {
      throw isGone();
    }
  }

  private static IllegalStateException isGone() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
