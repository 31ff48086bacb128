// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.ValueReader;
import dev.espalier.prefix.PrefixLook.Step;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A cursor of a prefix B+-tree for many threads. It copies the leaf that it goes to, and steps
 * within the copy as long as the version of the leaf is the same. What follows a leaf is found
 * through the pages above it, as long as theirs are.
 */
final class SharedPrefixCursor implements BytesCursor {
  /** Longer values are not copied: a scan that only wants keys would pay for them, too. */
  private static final int COPIED_BYTES = 64 << 10;

  /** Entries before the end of a leaf at which the next one is prefetched. */
  private static final int PREFETCHED = 16;

  private final ConcurrentPrefixBPlusTree index;
  private final PrefixStructure tree;
  private final PrefixSpace space;
  private final Epochs epochs;
  private final PrefixLook look;
  private final LeafCopy leaf;
  private final LeavesAhead ahead;

  /** The page that was copied, its version, and the words where that stands. */
  private int page;

  private long version;
  private long[] words = {};

  /** The generation of the tree when it was copied; of none at first. */
  private int generation = -1;

  /** The entry of the leaf. */
  private int slot;

  /** The entry from which on the leaf beside this one is prefetched. */
  private int prefetchAt;

  private boolean isOn;
  private boolean hasKey;

  /** The leaves without such an entry that a step has passed, each a page and its version. */
  private long[] passed = {};

  /** The key of the entry, or of the one that was there last, with room behind it. */
  private byte[] key = new byte[64];

  private MemorySegment keyMemory = MemorySegment.ofArray(key).asReadOnly();
  private int keyLength;

  /** The array that begins with the prefix of the leaf, if one does. */
  private byte @Nullable [] prefixed;

  /** The key before, while another is looked at. */
  private byte[] other = new byte[64];

  private MemorySegment otherMemory = MemorySegment.ofArray(other).asReadOnly();

  /**
   * The copy of a value that is not in the copy of the leaf, and its length; -1 if there is none.
   */
  private byte[] value = {};

  private int valueLength = -1;

  /** Whether the value is longer than what is copied, and has to be found by the key. */
  private boolean isLong;

  /** Length of the longest values that are copied. */
  private long longest = COPIED_BYTES;

  SharedPrefixCursor(ConcurrentPrefixBPlusTree index, PrefixStructure tree, PrefixSpace space) {
    this.index = index;
    this.tree = tree;
    this.space = space;
    this.epochs = space.epochs;
    this.look = new PrefixLook(tree, space);
    this.leaf = new LeafCopy(tree.layout);
    this.ahead = new LeavesAhead(tree);
  }

  @Override
  public void expectValues(Expected expected) {
    longest =
        switch (expected) {
          case NONE -> -1;
          case SHORT -> COPIED_BYTES;
          case ALL -> Integer.MAX_VALUE;
        };
  }

  @Override
  public void scanTo(MemorySegment key) {
    ahead.scanTo(PrefixBPlusTree.sought(key));
  }

  // ---------------------------------------------------------------- move

  @Override
  public boolean first() {
    return seek(null, 1, true);
  }

  @Override
  public boolean last() {
    return seek(null, -1, true);
  }

  @Override
  public boolean floor(MemorySegment sought) {
    return seek(sought, -1, true);
  }

  @Override
  public boolean ceiling(MemorySegment sought) {
    return seek(sought, 1, true);
  }

  @Override
  public boolean lower(MemorySegment sought) {
    return seek(sought, -1, false);
  }

  @Override
  public boolean higher(MemorySegment sought) {
    return seek(sought, 1, false);
  }

  @Override
  public boolean next() {
    if (isCurrent() && slot + 1 < leaf.count && leaf.isWhole(slot + 1)) {
      if (slot == prefetchAt) {
        prefetchBeside(1);
      }
      stand(slot + 1);
      return true;
    }
    return move(1);
  }

  @Override
  public boolean previous() {
    if (isCurrent() && slot > 0 && leaf.isWhole(slot - 1)) {
      if (slot == prefetchAt) {
        prefetchBeside(-1);
      }
      stand(slot - 1);
      return true;
    }
    return move(-1);
  }

  /**
   * Prefetches the leaf that a scan comes to after this one, as the jump pointers of a pB+-tree do:
   * copying it takes longer to fetch its lines than all else.
   */
  private void prefetchBeside(int side) {
    int operation = epochs.enter();
    try {
      if (generation == space.generation) {
        look.prefetchBeside(side);
      }
    } finally {
      epochs.exit(operation);
    }
  }

  /** Tells whether the leaf is still as it was copied, and the index open. */
  private boolean isCurrent() {
    return generation == space.generation && Latches.isStillPlain(words, page, version) && isOn;
  }

  private boolean seek(@Nullable MemorySegment sought, int side, boolean isInclusive) {
    MemorySegment searched = sought == null ? null : PrefixBPlusTree.sought(sought);
    return find(searched, side, isInclusive, false);
  }

  /** Goes to the entry beside the key where the cursor was. */
  private boolean move(int side) {
    if (!hasKey) {
      return find(null, side, true, false);
    }
    MemorySegment from = currentKey();
    boolean found = find(from, side, false, isCurrent());
    // Scans that remove end because keys ascend; in pages that lie they may not.
    if (found && KeyOrder.compare(currentKey(), from) * side <= 0) {
      throw Torn.torn("keys are out of order");
    }
    return found;
  }

  /**
   * Finds an entry by a key.
   *
   * @param sought null for the first entry, or the last one
   * @param side 1 for one behind the key, -1 for one before it
   * @param isHere whether the cursor is on that key, in a leaf that has not changed
   */
  private boolean find(
      @Nullable MemorySegment sought, int side, boolean isInclusive, boolean isHere) {
    tree.checkOpen();
    swapKeys(); // The key that is looked for may be this cursor's.
    int leftLength = keyLength;
    int operation = epochs.enter();
    try {
      Step step = Step.LOST;
      // All pages may have been replaced before the operation began.
      if (isHere && generation == space.generation) {
        step = enter(slot + side, sought, side);
      }
      isOn = step == Step.DONE;
      while (step == Step.LOST) {
        step = go(sought, side, isInclusive);
      }
      isOn = step == Step.DONE;
      hasKey = isOn;
      return isOn;
    } catch (RuntimeException | Error failed) {
      swapKeys();
      keyLength = leftLength;
      isOn = false;
      tree.checkOpen();
      throw failed;
    } finally {
      look.release();
      look.noteLooks();
      epochs.exit(operation);
    }
  }

  private void swapKeys() {
    byte[] left = key;
    key = other;
    other = left;
    MemorySegment leftMemory = keyMemory;
    keyMemory = otherMemory;
    otherMemory = leftMemory;
  }

  /** Finds an entry from the root. */
  private Step go(@Nullable MemorySegment sought, int side, boolean isInclusive) {
    int found = 0;
    ahead.restart();
    try {
      if (sought == null) {
        look.findLeaf(null, side);
      } else {
        found = look.find(sought);
      }
      if (!copyLeaf()) {
        return Step.LOST;
      }
    } catch (RuntimeException failed) {
      if (look.isStill()) {
        throw failed;
      }
      return Step.LOST;
    }
    return enter(start(sought, found, side, isInclusive), sought, side);
  }

  private int start(@Nullable MemorySegment sought, int found, int side, boolean isInclusive) {
    if (sought == null) {
      return side > 0 ? 0 : leaf.count - 1;
    }
    if (found >= 0) {
      return isInclusive ? found : found + side;
    }
    return side > 0 ? ~found : ~found - 1;
  }

  /**
   * Goes to an entry of the leaf, or if it has no such one, to the first beyond a key in the leaves
   * beside it.
   */
  private Step enter(int wanted, @Nullable MemorySegment sought, int side) {
    if (wanted >= 0 && wanted < leaf.count) {
      return arrive(wanted, side);
    }
    long[] left = words;
    int leftPage = page;
    long leftVersion = version;
    int passedLongs = 0;
    while (true) {
      try {
        Step step = look.step(side, ahead);
        if (step != Step.DONE) {
          return step;
        }
        // What was written to a leaf that is left may come before what was to the next one.
        if (!copyLeaf()
            || !Latches.isStill(left, leftPage, leftVersion)
            || !arePassedStill(passedLongs)) {
          return Step.LOST;
        }
      } catch (RuntimeException failed) {
        if (look.isStill()) {
          throw failed;
        }
        return Step.LOST;
      }
      for (int at = side > 0 ? 0 : leaf.count - 1; at >= 0 && at < leaf.count; at += side) {
        Step step = arrive(at, side);
        // While two leaves are merged, one has what is also in the other.
        if (step == Step.LOST
            || sought == null
            || KeyOrder.compare(currentKey(), sought) * side > 0) {
          return step;
        }
      }
      passedLongs = pass(passedLongs);
    }
  }

  /** Notes that the leaf is passed, which is seldom; returns how many longs are noted. */
  private int pass(int longs) {
    if (longs == passed.length) {
      passed = Arrays.copyOf(passed, Math.max(8, 2 * longs));
    }
    passed[longs] = page;
    passed[longs + 1] = version;
    return longs + 2;
  }

  private boolean arePassedStill(int longs) {
    for (int i = 0; i < longs; i += 2) {
      if (!space.latches.isStill((int) passed[i], passed[i + 1])) {
        return false;
      }
    }
    return true;
  }

  /** Copies the leaf that is looked at; tells whether nobody has changed it. */
  private boolean copyLeaf() {
    int before = space.generation; // A close that comes meanwhile is not taken for seen.
    prefixed = null;
    leaf.copy(tree.pages, look.at);
    if (!look.isStill()) {
      return false;
    }
    page = look.number;
    version = look.version;
    words = space.latches.wordsOf(page);
    generation = before;
    look.release();
    return true;
  }

  /** Goes to the first entry of a leaf that a call wants, as {@link #stand}. */
  private Step arrive(int at, int side) {
    prefetchAt = side > 0 ? Math.max(at, leaf.count - PREFETCHED) : Math.min(at, PREFETCHED - 1);
    return stand(at);
  }

  /** Goes to an entry of the leaf, unless that has changed and what is in chains is void. */
  @SuppressWarnings("ReferenceEquality") // An array is only ever itself.
  private Step stand(int at) {
    boolean isWhole = leaf.isWhole(at);
    if (!isWhole && !Latches.isStill(words, page, version)) {
      return Step.LOST;
    }
    valueLength = -1;
    isLong = false;
    if (!isWhole) {
      leaf.checkLengths(at);
    }
    keyLength = leaf.keyLength(at);
    if (keyLength + Long.BYTES > key.length) {
      key = new byte[Math.max(keyLength + Long.BYTES, 2 * key.length)];
      keyMemory = MemorySegment.ofArray(key).asReadOnly();
    }
    if (prefixed != key) {
      leaf.copyPrefix(key);
      prefixed = key;
    }
    leaf.copyRemainder(at, key);
    if (!isWhole) {
      readChains(at);
    }
    slot = at;
    return Step.DONE;
  }

  private void readChains(int at) {
    if (leaf.isKeyInChain(at)) {
      int inPage = tree.layout.keyBytes;
      tree.chain.copy(leaf.keyChain(at), keyLength - inPage, key, inPage);
    }
    if (leaf.isValueInChain(at)) {
      int length = leaf.valueLength(at);
      isLong = length > longest;
      if (!isLong) {
        value = length <= value.length ? value : new byte[tree.chain.checkedLength(length)];
        tree.chain.copy(leaf.valueChain(at), length, value, 0);
        valueLength = length;
      }
    }
  }

  // ---------------------------------------------------------------- the entry

  private MemorySegment currentKey() {
    return keyMemory.asSlice(0, keyLength);
  }

  private void checkOn() {
    if (generation != space.generation) {
      tree.checkOpen();
    }
    if (!isOn) {
      throw isGone();
    }
  }

  private static IllegalStateException isGone() {
    return new IllegalStateException("the cursor is on no entry");
  }

  /** Returns why a search does not find the entry: that was removed, or pages make no sense. */
  private RuntimeException notFound() {
    if (generation == space.generation && Latches.isStill(words, page, version)) {
      return Torn.torn("an entry of page " + page + " is found by a scan, but not by a search");
    }
    return isGone();
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
    if (isLong) {
      return readLong(null);
    }
    return valueLength >= 0 ? valueLength : leaf.valueLength(slot);
  }

  @Override
  public void value(ValueReader reader) {
    checkOn();
    if (isLong) {
      readLong(reader);
    } else if (valueLength >= 0) {
      reader.read(MemorySegment.ofArray(value).asReadOnly(), 0, valueLength, 0, valueLength);
    } else {
      int length = leaf.valueLength(slot);
      reader.read(leaf.memory, leaf.valueAt(slot), length, 0, length);
    }
  }

  @Override
  public byte[] valueArray() {
    checkOn();
    if (isLong) {
      byte[] whole = index.get(keyArray());
      if (whole == null) {
        throw notFound();
      }
      return whole;
    }
    if (valueLength >= 0) {
      return Arrays.copyOf(value, valueLength);
    }
    int at = leaf.valueAt(slot);
    return Arrays.copyOfRange(leaf.bytes, at, at + leaf.valueLength(slot));
  }

  /**
   * Shows a value that was not copied, as it is now, to a reader if there is one; returns its
   * length.
   */
  private long readLong(@Nullable ValueReader reader) {
    PrefixThread thread = index.begin();
    try {
      boolean isThere;
      if (reader != null) {
        isThere = index.show(thread, currentKey(), reader);
      } else {
        int operation = epochs.enter();
        try {
          isThere = index.find(thread, currentKey());
        } finally {
          epochs.exit(operation);
        }
      }
      if (!isThere) {
        throw notFound();
      }
      return thread.valueLength;
    } finally {
      index.end(thread);
    }
  }

  /**
   * Makes sure that the chain of the value, if it has one, can be freed; nobody writes meanwhile.
   */
  void checkLeaving() {
    checkOn();
    if (leaf.isValueInChain(slot)) {
      int operation = epochs.enter();
      try {
        tree.pieces.checkLeaving(leaf.valueChain(slot));
      } finally {
        epochs.exit(operation);
      }
    }
  }

  @Override
  public void setValue(MemorySegment newValue) {
    checkOn();
    if (!index.replace(currentKey(), newValue)) {
      throw isGone();
    }
    long length = newValue.byteSize();
    isLong = length > longest && length > tree.layout.entryBytes;
    if (!isLong) {
      value = newValue.toArray(ValueLayout.JAVA_BYTE);
      valueLength = (int) length;
    }
  }

  @Override
  public void remove() {
    checkOn();
    if (!index.delete(currentKey())) {
      throw isGone();
    }
    isOn = false;
  }
}
