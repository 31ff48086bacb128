// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import dev.espalier.io.IndexVersions.Version;
import dev.espalier.io.Seen.Write;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over an index of byte strings as a transaction sees it: a merge, as {@link
 * TransactionCursor} is one for longs.
 *
 * <p>The value of an entry of the tree is read when it is asked for, from the tree's cursor, which
 * is on the entry. It has copied short values. Others it reads from the tree; if the entry is no
 * longer what it was, a version is.
 */
final class TransactionBytesCursor implements BytesCursor {
  private static final byte[] NO_KEY = {};

  private final TransactionBytesIndex index;
  private final Seen<byte[], byte[]> seen;
  private final BytesCursor tree;

  private boolean isOnEntry;
  private boolean isNowhere = true;

  /** The key of the entry, or of the one that was there last. It is never changed. */
  private byte[] key = NO_KEY;

  /** The value, null if it is that of the tree's cursor. It is never changed. */
  private byte @Nullable [] value;

  /** Where the cursor of the tree has gone from the bound: up, down, or nowhere yet. */
  private int direction;

  private byte[] bound = NO_KEY;

  /** Whether an entry at the bound would have been found. */
  private boolean isBoundIncluded;

  /** The key where the cursor of the tree is, null if it is nowhere. */
  private byte @Nullable [] ahead;

  TransactionBytesCursor(TransactionBytesIndex index, BytesCursor tree) {
    this.index = index;
    this.seen = index.seen();
    this.tree = tree;
  }

  @Override
  public void scanTo(MemorySegment key) {
    tree.scanTo(key);
  }

  @Override
  public void expectValues(Expected expected) {
    tree.expectValues(expected);
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    return ceiling(TransactionBytesIndex.FIRST);
  }

  @Override
  public boolean last() {
    boolean found = down(TransactionBytesIndex.LAST, true);
    index.noteRange(found ? key : TransactionBytesIndex.FIRST, true, null, false);
    return found;
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    return ceiling(copy(key));
  }

  private boolean ceiling(byte[] from) {
    boolean found = up(from, true);
    index.noteRange(from, true, found ? key : null, true);
    return found;
  }

  @Override
  public boolean higher(MemorySegment key) {
    return higher(copy(key));
  }

  private boolean higher(byte[] from) {
    boolean found = up(from, false);
    index.noteRange(from, false, found ? key : null, true);
    return found;
  }

  @Override
  public boolean floor(MemorySegment key) {
    byte[] from = copy(key);
    boolean found = down(from, true);
    index.noteRange(found ? this.key : TransactionBytesIndex.FIRST, true, from, true);
    return found;
  }

  @Override
  public boolean lower(MemorySegment key) {
    return lower(copy(key));
  }

  private boolean lower(byte[] from) {
    boolean found = down(from, false);
    index.noteRange(found ? key : TransactionBytesIndex.FIRST, true, from, false);
    return found;
  }

  @Override
  public boolean next() {
    return isNowhere ? first() : higher(key);
  }

  @Override
  public boolean previous() {
    return isNowhere ? last() : lower(key);
  }

  /** Returns a copy of a key; of one that is too long, as much as no stored key has. */
  private static byte[] copy(MemorySegment key) {
    long bytes = Math.min(key.byteSize(), BytesIndex.MAX_KEY + 1L);
    return key.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
  }

  // ---------------------------------------------------------------- merge

  /** Goes to the first entry at or after a key, without noting what was read. */
  boolean up(byte[] from, boolean inclusive) {
    index.checkOpen();
    byte[] start = from;
    boolean isIncluded = inclusive;
    while (true) {
      lookUp(start, isIncluded);
      byte[] next = nearest(ahead, seen.changedUp(start, isIncluded), 1);
      next = nearest(next, seen.ownUp(start, isIncluded), 1);
      if (next == null) {
        return leave();
      }
      if (stand(next)) {
        return true;
      }
      start = next;
      isIncluded = false;
    }
  }

  /** Goes to the last entry at or before a key, without noting what was read. */
  private boolean down(byte[] from, boolean inclusive) {
    index.checkOpen();
    byte[] start = from;
    boolean isIncluded = inclusive;
    while (true) {
      lookDown(start, isIncluded);
      byte[] next = nearest(ahead, seen.changedDown(start, isIncluded), -1);
      next = nearest(next, seen.ownDown(start, isIncluded), -1);
      if (next == null) {
        return leave();
      }
      if (stand(next)) {
        return true;
      }
      start = next;
      isIncluded = false;
    }
  }

  /** Returns the key that comes first in a direction, of equal ones {@code a}. */
  private static byte @Nullable [] nearest(
      byte @Nullable [] a, byte @Nullable [] b, int direction) {
    return b == null || (a != null && Arrays.compareUnsigned(a, b) * direction <= 0) ? a : b;
  }

  /** Has the cursor of the tree at the first entry at or after a key, or behind all. */
  private void lookUp(byte[] from, boolean inclusive) {
    boolean isBehind = direction > 0 && isPast(from, inclusive);
    int order = ahead == null ? 1 : Arrays.compareUnsigned(ahead, from);
    if (!isBehind || order < 0) {
      MemorySegment start = MemorySegment.ofArray(from);
      look(inclusive ? tree.ceiling(start) : tree.higher(start), 1, from, inclusive);
    } else if (order == 0 && !inclusive) {
      look(tree.next(), 1, from, false);
    }
  }

  /** Has the cursor of the tree at the last entry at or before a key, or before all. */
  private void lookDown(byte[] from, boolean inclusive) {
    boolean isBefore = direction < 0 && isPast(from, inclusive);
    int order = ahead == null ? -1 : Arrays.compareUnsigned(ahead, from);
    if (!isBefore || order > 0) {
      MemorySegment start = MemorySegment.ofArray(from);
      look(inclusive ? tree.floor(start) : tree.lower(start), -1, from, inclusive);
    } else if (order == 0 && !inclusive) {
      look(tree.previous(), -1, from, false);
    }
  }

  /** Tells whether a search finds nothing that the last look has passed over. */
  private boolean isPast(byte[] from, boolean inclusive) {
    int order = Arrays.compareUnsigned(from, bound) * direction;
    return order > 0 || (order == 0 && (isBoundIncluded || !inclusive));
  }

  private void look(boolean found, int direction, byte[] from, boolean inclusive) {
    this.direction = direction;
    bound = from;
    isBoundIncluded = inclusive;
    ahead = found ? tree.keyArray() : null;
  }

  /** Goes to a key if it has an entry. */
  private boolean stand(byte[] next) {
    byte[] other;
    boolean isThere;
    if (Arrays.equals(next, ahead)) {
      Write<byte[]> own = seen.hasWrites() ? seen.own(next) : null;
      Version<byte[], byte[]> version = own == null ? index.versionOfRead(next) : null;
      other = own != null ? own.value : version != null ? version.before : null;
      isThere = other != null || (own == null && version == null);
    } else {
      other = index.findAny(next);
      isThere = other != null;
    }
    index.checkAlive();
    if (isThere) {
      isOnEntry = true;
      isNowhere = false;
      key = next;
      value = other;
    }
    return isThere;
  }

  private boolean leave() {
    index.checkAlive();
    isOnEntry = false;
    isNowhere = true;
    return false;
  }

  // ---------------------------------------------------------------- the entry

  /** Returns the key of the entry, which is not to be changed. */
  byte[] at() {
    return key;
  }

  @Override
  public MemorySegment key() {
    checkOnEntry();
    return MemorySegment.ofArray(key).asReadOnly();
  }

  @Override
  public byte[] keyArray() {
    checkOnEntry();
    return key.clone();
  }

  @Override
  public long valueBytes() {
    checkOnEntry();
    Long length = value == null ? ofTree(tree::valueBytes) : null;
    return length != null ? length : known().length;
  }

  @Override
  public byte[] valueArray() {
    checkOnEntry();
    byte[] array = value == null ? ofTree(tree::valueArray) : null;
    return array != null ? array : known().clone();
  }

  @Override
  public void value(ValueReader reader) {
    checkOnEntry();
    if (value == null) {
      SeenValue shown = new SeenValue(index, key(), reader);
      try {
        tree.value(shown);
      } catch (IllegalStateException failed) {
        if (shown.version() == null) {
          throw failed;
        }
      }
      Version<byte[], byte[]> version = shown.version();
      if (version == null) {
        return;
      }
      value = version.before;
    }
    SeenValue.show(value, reader);
  }

  /**
   * Reads the entry of the tree's cursor. If others have changed it meanwhile, its value becomes
   * known, and null is returned.
   */
  private <T> @Nullable T ofTree(Supplier<T> read) {
    @Nullable T found = null;
    @Nullable IllegalStateException failed = null;
    try {
      found = read.get();
    } catch (IllegalStateException gone) {
      failed = gone;
    }
    Version<byte[], byte[]> version = index.versionOfRead(key);
    index.checkAlive();
    if (version != null) {
      value = version.before;
      return null;
    }
    if (failed != null) {
      throw failed;
    }
    return found;
  }

  private byte[] known() {
    if (value == null) {
      throw isGone();
    }
    return value;
  }

  @Override
  public void setValue(MemorySegment value) {
    checkIsStillThere();
    WriteBatch.check("value", value.byteSize(), BytesIndex.MAX_VALUE);
    byte[] copy = value.toArray(ValueLayout.JAVA_BYTE);
    index.write(key, copy);
    this.value = copy;
  }

  @Override
  public void remove() {
    checkIsStillThere();
    index.write(key, null);
    isOnEntry = false;
  }

  private void checkOnEntry() {
    index.checkOpen();
    if (!isOnEntry) {
      throw isGone();
    }
  }

  /** Checks that the transaction has neither removed the entry otherwise nor rolled it back. */
  private void checkIsStillThere() {
    checkOnEntry();
    Write<byte[]> own = seen.own(key);
    boolean isGone = own == null ? value != null && index.findAny(key) == null : own.value == null;
    if (isGone) {
      throw isGone();
    }
  }

  private static IllegalStateException isGone() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
