// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.ValueReader;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A cursor that knows its leaf, and has a copy of its key, by which it finds its place again after
 * a change.
 *
 * <p>What it needs of a leaf it reads once when it enters it; the prefix then stays at the
 * beginning of the copy of the key, so that a step within the leaf copies only what is behind that.
 */
final class PrefixCursor implements BytesCursor {
  private final PrefixBPlusTree index;
  private final PrefixStructure tree;
  private final PrefixPath path;

  /** Number of changes when the place was found. */
  private long seen = -1;

  /** Of the leaf: entries, length of the prefix, and where in it the slots begin. */
  private int count;

  private int prefix;
  private long slots;

  /** The slot of the entry, and where in the leaf its value is, or the reference to it. */
  private int slot;

  private long valueAt;
  private int valueBytes;
  private boolean isValueInChain;

  /** The key, with room behind it. */
  private byte[] key = new byte[64];

  private MemorySegment keyMemory = MemorySegment.ofArray(key).asReadOnly();
  private int keyLength;

  /** The key that the cursor leaves. */
  private byte[] left = {};

  private boolean hasKey;
  private boolean isOn;

  /** Whether this cursor removed its entry, and so is on none even if the key has one again. */
  private boolean hasRemoved;

  PrefixCursor(PrefixBPlusTree index, PrefixStructure tree) {
    this.index = index;
    this.tree = tree;
    this.path = new PrefixPath(tree);
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    begin();
    path.toEnd(false);
    return settle(0);
  }

  @Override
  public boolean last() {
    begin();
    path.toEnd(true);
    return settleBack(Integer.MAX_VALUE);
  }

  @Override
  public boolean floor(MemorySegment sought) {
    int found = find(sought);
    return settleBack(found >= 0 ? found : ~found - 1);
  }

  @Override
  public boolean ceiling(MemorySegment sought) {
    int found = find(sought);
    return settle(found >= 0 ? found : ~found);
  }

  @Override
  public boolean lower(MemorySegment sought) {
    int found = find(sought);
    return settleBack(found >= 0 ? found - 1 : ~found - 1);
  }

  @Override
  public boolean higher(MemorySegment sought) {
    int found = find(sought);
    return settle(found >= 0 ? found + 1 : ~found);
  }

  private void begin() {
    tree.checkOpen();
    isOn = false;
    seen = tree.modifications.changes;
  }

  /** Goes to the leaf where a key is or belongs; returns its slot there, or {@code ~} of it. */
  private int find(MemorySegment sought) {
    begin();
    return path.find(PrefixBPlusTree.sought(sought));
  }

  private MemorySegment currentKey() {
    return keyMemory.asSlice(0, keyLength);
  }

  /** Reads what is to be known of the leaf; the key stays as it is. */
  private void enterLeaf() {
    long page = tree.store.pin(path.leaf());
    long header = PageLayout.header(tree.pages, page);
    count = PageLayout.countOf(header);
    prefix = PageLayout.prefixOf(header);
    slots = PageLayout.slots(header, page) - page;
    tree.store.unpin(page, false);
  }

  /** Goes to an entry of a new leaf, or if it has no such one, to the first behind it. */
  private boolean settle(int wanted) {
    int at = wanted;
    for (enterLeaf(); at >= count; enterLeaf()) {
      if (!path.step(1)) {
        return leave();
      }
      at = 0;
    }
    return standFirst(at);
  }

  /** Goes to an entry of a new leaf, or if it has no such one, to the last before it. */
  private boolean settleBack(int wanted) {
    enterLeaf();
    int at = Math.min(wanted, count - 1);
    while (at < 0) {
      if (!path.step(-1)) {
        return leave();
      }
      enterLeaf();
      at = count - 1;
    }
    return standFirst(at);
  }

  private boolean leave() {
    isOn = false;
    hasKey = false;
    return false;
  }

  /** Goes to an entry of a leaf whose prefix is not yet at the beginning of the key. */
  private boolean standFirst(int at) {
    long page = tree.store.pin(path.leaf());
    try {
      makeRoom(prefix);
      PageKeys.copy(tree.pages, tree.layout.prefixAt(tree.pages, page), key, 0, prefix);
      stand(page, at);
    } finally {
      tree.store.unpin(page, false);
    }
    isOn = true;
    hasKey = true;
    hasRemoved = false;
    return true;
  }

  /** Goes to another entry of the leaf. */
  private void standBeside(int at) {
    long page = tree.store.pin(path.leaf());
    try {
      stand(page, at);
    } finally {
      tree.store.unpin(page, false);
    }
  }

  private void stand(long page, int at) {
    MemorySegment pages = tree.pages;
    long place = page + slots + (long) PageLayout.SLOT_BYTES * at;
    long record = PageLayout.record(pages, page, place);
    int remainder = PageLayout.remainder(pages, place);
    if (PageLayout.isKeyInChain(pages, place)) {
      keyLength = tree.keyLength(page, at);
      makeRoom(keyLength);
      tree.copyKey(page, at, key);
      valueAt = PageLayout.valueAt(pages, page, place) - page;
    } else {
      keyLength = prefix + remainder;
      makeRoom(keyLength);
      PageKeys.copyRemainder(
          pages, record, PageLayout.head(pages, page, at), key, prefix, remainder);
      valueAt = record - page + PageLayout.tailBytes(remainder);
    }
    valueBytes = PageLayout.valueBytes(pages, place);
    isValueInChain = PageLayout.isValueInChain(pages, place);
    slot = at;
  }

  /** Makes room for a key, and keeps what is there. */
  private void makeRoom(int length) {
    if (length + Long.BYTES > key.length) {
      key = Arrays.copyOf(key, Math.max(length + Long.BYTES, 2 * key.length));
      keyMemory = MemorySegment.ofArray(key).asReadOnly();
    }
  }

  // ---------------------------------------------------------------- move

  @Override
  public boolean next() {
    if (!isOn || seen != tree.modifications.changes) {
      return hasKey ? goOn(1) : first();
    }
    if (slot + 1 < count) {
      standBeside(slot + 1);
      return true;
    }
    return settle(count);
  }

  /**
   * Goes to the entry beside the key where the cursor was. Scans that remove end because keys
   * ascend; in pages that lie they may not.
   */
  private boolean goOn(int direction) {
    int length = keyLength;
    if (left.length < length) {
      left = new byte[key.length];
    }
    System.arraycopy(key, 0, left, 0, length);
    MemorySegment from = currentKey();
    boolean found = direction > 0 ? higher(from) : lower(from);
    if (found
        && Arrays.compareUnsigned(key, 0, keyLength, left, 0, length) * (long) direction <= 0) {
      throw Torn.torn("keys are out of order");
    }
    return found;
  }

  @Override
  public boolean previous() {
    if (!isOn || seen != tree.modifications.changes) {
      return hasKey ? goOn(-1) : last();
    }
    if (slot > 0) {
      standBeside(slot - 1);
      return true;
    }
    return settleBack(-1);
  }

  @Override
  public void scanTo(MemorySegment end) {
    path.scanTo(PrefixBPlusTree.sought(end));
  }

  // ---------------------------------------------------------------- the entry

  /** Finds the entry again if anything has changed. */
  private void checkOn() {
    if (seen != tree.modifications.changes && hasKey && !hasRemoved) {
      findAgain();
    }
    if (!isOn) {
      tree.checkOpen();
      throw new IllegalStateException("the cursor is on no entry");
    }
  }

  private void findAgain() {
    int found = find(currentKey());
    if (found >= 0) {
      enterLeaf();
      standFirst(found);
    }
  }

  @Override
  public MemorySegment key() {
    checkOn();
    return currentKey();
  }

  @Override
  public byte[] keyArray() {
    checkOn();
    return Arrays.copyOf(key, keyLength);
  }

  @Override
  public long valueBytes() {
    checkOn();
    if (!isValueInChain) {
      return valueBytes;
    }
    long page = tree.store.pin(path.leaf());
    int bytes = PageLayout.referredLength(tree.pages, page + valueAt);
    tree.store.unpin(page, false);
    return tree.chain.checkedLength(bytes);
  }

  @Override
  public void value(ValueReader reader) {
    checkOn();
    long page = tree.store.pin(path.leaf());
    try {
      if (isValueInChain) {
        tree.readValue(page, slot, reader);
      } else {
        reader.read(tree.readable, page + valueAt, valueBytes, 0, valueBytes);
      }
    } finally {
      tree.store.unpin(page, false);
    }
  }

  @Override
  public void setValue(MemorySegment value) {
    checkOn();
    index.set(currentKey(), value);
  }

  @Override
  public void remove() {
    checkOn();
    index.delete(currentKey());
    isOn = false;
    hasRemoved = true;
  }
}
