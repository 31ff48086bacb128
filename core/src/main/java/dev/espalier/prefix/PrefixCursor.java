// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A cursor that remembers its way from the root, and has a copy of its key, by which it finds its
 * place again after a change.
 */
final class PrefixCursor implements BytesCursor {
  private final PrefixBPlusTree index;
  private final PrefixStructure tree;

  /** For each level its page, and the entry of it. */
  private final int[] pathPage = new int[PrefixStructure.MAX_HEIGHT];

  private final int[] pathEntry = new int[PrefixStructure.MAX_HEIGHT];

  /** Number of changes when the place was found. */
  private long seen = -1;

  private byte[] key = new byte[64];
  private MemorySegment keyMemory = MemorySegment.ofArray(key).asReadOnly();
  private int keyLength;

  private boolean hasKey;
  private boolean isOn;

  PrefixCursor(PrefixBPlusTree index, PrefixStructure tree) {
    this.index = index;
    this.tree = tree;
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    begin();
    descend(tree.height() - 1, tree.root(), false);
    return settle(0);
  }

  @Override
  public boolean last() {
    begin();
    descend(tree.height() - 1, tree.root(), true);
    return settleBack(leafCount() - 1);
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
    seen = tree.modifications.changes;
  }

  /** Goes to the leaf where a key is or belongs; returns its slot there, or {@code ~} of it. */
  private int find(MemorySegment sought) {
    PrefixBPlusTree.checkKey(sought);
    begin();
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = tree.store.pin(number);
      pathPage[level] = number;
      try {
        pathEntry[level] = tree.childEntry(page, sought);
        number = PageLayout.child(tree.pages, page, pathEntry[level]);
      } finally {
        tree.store.unpin(page, false);
      }
    }
    pathPage[0] = number;
    return tree.searchAndUnpin(tree.store.pin(number), sought);
  }

  /** Goes from a page down to the first leaf below it, or the last one. */
  private void descend(int from, int top, boolean toLast) {
    int number = top;
    for (int level = from; level > 0; level--) {
      long page = tree.store.pin(number);
      pathPage[level] = number;
      pathEntry[level] = toLast ? PageLayout.count(tree.pages, page) - 1 : 0;
      number = PageLayout.child(tree.pages, page, pathEntry[level]);
      tree.store.unpin(page, false);
    }
    pathPage[0] = number;
  }

  private int leafCount() {
    return count(pathPage[0]);
  }

  private int count(int number) {
    long page = tree.store.pin(number);
    int count = PageLayout.count(tree.pages, page);
    tree.store.unpin(page, false);
    return count;
  }

  /** Goes to an entry of the leaf, or if it has no such one, to the first behind it. */
  private boolean settle(int slot) {
    int at = slot;
    while (at >= leafCount()) {
      if (!step(1)) {
        return leave();
      }
      at = 0;
    }
    return stand(at);
  }

  /** Goes to an entry of the leaf, or if it has no such one, to the last before it. */
  private boolean settleBack(int slot) {
    int at = slot;
    while (at < 0) {
      if (!step(-1)) {
        return leave();
      }
      at = leafCount() - 1;
    }
    return stand(at);
  }

  /** Goes to the leaf beside this one, on one side. */
  private boolean step(int side) {
    for (int level = 1; level < tree.height(); level++) {
      int entry = pathEntry[level] + side;
      if (entry >= 0 && entry < count(pathPage[level])) {
        pathEntry[level] = entry;
        long page = tree.store.pin(pathPage[level]);
        int child = PageLayout.child(tree.pages, page, entry);
        tree.store.unpin(page, false);
        descend(level - 1, child, side < 0);
        return true;
      }
    }
    return false;
  }

  private boolean leave() {
    isOn = false;
    hasKey = false;
    return false;
  }

  private boolean stand(int slot) {
    pathEntry[0] = slot;
    long page = tree.store.pin(pathPage[0]);
    try {
      keyLength = tree.keyLength(page, slot);
      if (keyLength > key.length) {
        key = new byte[Math.max(keyLength, 2 * key.length)];
        keyMemory = MemorySegment.ofArray(key).asReadOnly();
      }
      tree.copyKey(page, slot, key);
    } finally {
      tree.store.unpin(page, false);
    }
    isOn = true;
    hasKey = true;
    return true;
  }

  // ---------------------------------------------------------------- move

  @Override
  public boolean next() {
    if (!hasKey) {
      return first();
    }
    if (isOn && seen == tree.modifications.changes) {
      return settle(pathEntry[0] + 1);
    }
    return higher(keyMemory.asSlice(0, keyLength));
  }

  @Override
  public boolean previous() {
    if (!hasKey) {
      return last();
    }
    if (isOn && seen == tree.modifications.changes) {
      return settleBack(pathEntry[0] - 1);
    }
    return lower(keyMemory.asSlice(0, keyLength));
  }

  // ---------------------------------------------------------------- the entry

  /** Finds the entry again if anything has changed. */
  private void checkOn() {
    if (hasKey && seen != tree.modifications.changes) {
      int found = find(keyMemory.asSlice(0, keyLength));
      isOn = found >= 0;
      pathEntry[0] = found;
    }
    if (!isOn) {
      tree.checkOpen();
      throw new IllegalStateException("the cursor is on no entry");
    }
  }

  @Override
  public MemorySegment key() {
    checkOn();
    return keyMemory.asSlice(0, keyLength);
  }

  @Override
  public byte[] keyArray() {
    checkOn();
    return Arrays.copyOf(key, keyLength);
  }

  @Override
  public long valueBytes() {
    checkOn();
    long page = tree.store.pin(pathPage[0]);
    int bytes = tree.valueLength(page, pathEntry[0]);
    tree.store.unpin(page, false);
    return bytes;
  }

  @Override
  public void value(ValueReader reader) {
    checkOn();
    long page = tree.store.pin(pathPage[0]);
    try {
      tree.readValue(page, pathEntry[0], reader);
    } finally {
      tree.store.unpin(page, false);
    }
  }

  @Override
  public void setValue(MemorySegment value) {
    checkOn();
    index.set(keyMemory.asSlice(0, keyLength), value);
  }

  @Override
  public void remove() {
    checkOn();
    index.delete(keyMemory.asSlice(0, keyLength));
    isOn = false;
  }
}
