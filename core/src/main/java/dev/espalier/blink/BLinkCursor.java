// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongs;
import static dev.espalier.memory.Words.putLongs;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.PageStore;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cursor on a copy of a run of a leaf, which it has made at one moment: the entries that lie
 * together in the page. It looks at every step whether the leaf is still the same, by its version,
 * and if not, finds the place of its key again. While it stays, its key and value are those of the
 * copy, unless its own thread has changed something. Between calls it holds nothing: no pin, no
 * latch, and no page back from being used again.
 */
final class BLinkCursor implements LongCursor {
  private enum State {
    /** On no entry; {@code next} goes to the first, {@code previous} to the last. */
    NOWHERE,
    /** On the entry in {@code slot}. */
    ON_ENTRY,
    /** Between the entries in {@code slot - 1} and {@code slot}: the current key has no entry. */
    BETWEEN
  }

  private final BLinkStructure tree;
  private final BLinkWriter writer;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final Latches latches;
  private final ChangeCount changes;
  private final int only;

  /** Whether leaves may have to be read from a file. */
  private final boolean mayRead;

  /** What asks for leaves ahead; null before it is needed. */
  private @Nullable LeavesAhead ahead;

  /** Most entries of a run. */
  private final int room;

  /** The run as it was, for steps: the keys, and behind {@code room} of them the values. */
  private final long[] copy;

  /**
   * The same for {@link #nextRun}, allocated for the first one. It is native memory, as the runs of
   * other trees are: loops over runs would otherwise be compiled for both.
   */
  private MemorySegment runCopy = MemorySegment.NULL;

  private MemorySegment readOnlyRunCopy = MemorySegment.NULL;

  /**
   * Whether the run is in {@code runCopy}, not in {@code copy}; and whether the next one goes
   * there.
   */
  private boolean isForRuns;

  private boolean wantsRun;

  /** The leaf, which version was copied, what its header said, and the runs beside that one. */
  private int leaf;

  private long version;

  /** Where the version of the leaf is to be looked at; empty before a leaf was copied. */
  private long[] words = {};

  private long changesSeen;
  private long ownChangesSeen;
  private int entries;
  private int runBefore;
  private int runAfter;
  private int right;
  private int left;
  private long high;
  private boolean hasLeft;

  private int slot;

  /**
   * Up to where the copy can be stepped through while the leaf is the same: {@code entries} while
   * the cursor is on an entry and the copy is for steps, 0 otherwise. Steps and reads ask for this
   * first.
   */
  private int ready;

  private State state = State.NOWHERE;
  private long currentKey;

  /** Whether the entry was removed through this cursor, which is then on none until it moves. */
  private boolean removed;

  /**
   * Creates a cursor that is nowhere.
   *
   * @param only the leaf that is all there is to the cursor, or 0 for the whole tree
   */
  BLinkCursor(BLinkStructure tree, int only) {
    this.tree = tree;
    this.only = only;
    this.writer = new BLinkWriter(tree);
    this.store = tree.store;
    this.format = tree.format;
    this.latches = tree.latches;
    this.changes = tree.modifications;
    this.room = format.runCapacity;
    this.copy = new long[2 * room];
    this.mayRead = only == 0 && !store.pagesStay();
  }

  // ---------------------------------------------------------------- leaves

  private long wordAt(int i) {
    return isForRuns ? getLong(runCopy, (long) i << 3) : copy[i];
  }

  /** Returns how many keys of the copy are smaller. */
  private int lowerBound(long key) {
    int low = 0;
    int high = entries;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (wordAt(middle) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns how many keys of the copy are not larger. */
  private int upperBound(long key) {
    return key == Long.MAX_VALUE ? entries : lowerBound(key + 1);
  }

  /**
   * Tells whether the leaf is what was copied. No fence is needed, for the copy is the cursor's
   * own: what happened before this call is seen, by this thread or by one that it knows of. So a
   * loop over {@link #next} that reads the key and the value of each entry may look only once for
   * all.
   */
  private boolean isCurrent() {
    return changesSeen == changes.changes && Latches.isStillPlain(words, leaf, version);
  }

  /**
   * Copies what a leaf says of itself at one moment, and of its entries the run where a key is or
   * belongs, or the last one if the key belongs in a leaf to the right; within an operation.
   */
  private void copyLeaf(int page, long key) {
    ready = 0;
    long before = changes.changes;
    VarHandle.acquireFence(); // So that a close that comes meanwhile is not taken for seen.
    long at = store.pin(page);
    MemorySegment pages = tree.pages;
    try {
      do {
        version = latches.version(page);
        hasLeft = LinkedPage.hasLeft(pages, at);
        right = LinkedPage.right(pages, at);
        left = LinkedPage.left(pages, at);
        high = LinkedPage.high(pages, at);
        copyRun(pages, at, format.runOf(pages, at, page, Math.min(key, high)));
      } while (!latches.isStill(page, version));
    } finally {
      store.unpin(at, false);
    }
    if (only != 0) {
      hasLeft = false; // One that has left is empty.
      right = 0;
      left = 0;
      high = Long.MAX_VALUE;
    }
    leaf = page;
    words = latches.wordsOf(page);
    changesSeen = before;
    ownChangesSeen = tree.ownChanges();
  }

  private void copyRun(MemorySegment pages, long at, int run) {
    runAfter = format.nextRun(pages, at, run);
    format.prefetchRun(pages, at, runAfter); // which a scan comes to next
    runBefore = format.previousRun(pages, at, run);
    entries = format.entriesOf(pages, at, run);
    isForRuns = wantsRun;
    if (isForRuns) {
      long bytes = (long) entries << 3;
      copy(pages, format.keysOf(at, run), runCopy, 0, bytes);
      copy(pages, format.valuesOf(at, run), runCopy, (long) room << 3, bytes);
    } else {
      getLongs(pages, format.keysOf(at, run), copy, 0, entries);
      getLongs(pages, format.valuesOf(at, run), copy, room, entries);
    }
  }

  /** Brings the copy that was made for steps to where those for runs are. */
  private void turnToRuns() {
    putLongs(runCopy, 0, copy, 0, entries);
    putLongs(runCopy, (long) room << 3, copy, room, entries);
    isForRuns = true;
    ready = 0;
  }

  /**
   * Copies another run of the same leaf; within an operation. Returns false if there is none, or
   * the leaf has changed: then nothing that was copied counts.
   */
  private boolean copyRun(int run) {
    if (run == 0 || !isCurrent()) {
      return false;
    }
    ready = 0;
    long at = store.pin(leaf);
    try {
      copyRun(tree.pages, at, run);
    } finally {
      store.unpin(at, false);
    }
    return Latches.isStill(words, leaf, version) && isCurrent();
  }

  /** Copies the leaf that covers a key; within an operation. */
  private void copyLeafOf(long key) {
    int page = only != 0 ? only : tree.find(0, key);
    for (int hops = 0; ; hops++) {
      BLinkStructure.checkHops(hops, page);
      copyLeaf(page, key);
      if (!hasLeft && key <= high) {
        return;
      }
      page = hasLeft ? tree.find(0, key) : right;
    }
  }

  private void enterLeafOf(long key) {
    tree.checkOpen();
    int operation = tree.epochs.enter();
    try {
      copyLeafOf(key);
    } finally {
      tree.epochs.exit(operation);
    }
    slot = lowerBound(key);
  }

  /** Goes to the first entry from a key on, all of which are behind the run. */
  private boolean advance(long from) {
    long key = from;
    for (int runs = 0; runAfter != 0 || high != Long.MAX_VALUE; runs++) {
      BLinkStructure.checkHops(runs, leaf);
      tree.checkOpen();
      int operation = tree.epochs.enter();
      try {
        if (runAfter == 0) {
          key = high + 1;
          runs = 0;
          askAhead(key, right, 1);
          copyRightNeighbour(key);
        } else if (!copyRun(runAfter)) {
          copyLeafOf(key);
        }
      } finally {
        tree.epochs.exit(operation);
      }
      slot = lowerBound(key);
      if (slot < entries) {
        return true;
      }
    }
    return false;
  }

  /** Copies the leaf to the right of the current one, or one that covers a key now. */
  private void copyRightNeighbour(long key) {
    // What a leaf that is still the same links to is in the tree, and stays for this operation.
    if (isCurrent()) {
      copyLeaf(right, key);
    }
    if (hasLeft || key > high) {
      copyLeafOf(key);
    }
  }

  /** Goes to the last entry with a key that is not larger, from the leaf that covers the key. */
  private boolean lastUpTo(long key) {
    long bound = key;
    slot = upperBound(bound) - 1;
    for (int hops = 0; slot < 0; hops++) {
      BLinkStructure.checkHops(hops, leaf);
      tree.checkOpen();
      int operation = tree.epochs.enter();
      try {
        if (!copyRun(runBefore)) {
          bound = Math.min(bound, high);
          if (runBefore == 0 && left == 0 && isCurrent()) {
            return false;
          }
          if (runBefore == 0 && left != 0) {
            askAhead(bound, left, -1);
          }
          if (runBefore != 0 || !copyLeftNeighbour(bound)) {
            copyLeafOf(bound);
          }
        }
      } finally {
        tree.epochs.exit(operation);
      }
      slot = upperBound(bound) - 1;
    }
    return true;
  }

  /**
   * Copies the leaf to the left of the current one, or one that covers the bound now. Returns false
   * if the current one has changed, and so may have got another neighbour.
   */
  private boolean copyLeftNeighbour(long bound) {
    if (left == 0 || !isCurrent()) {
      return false;
    }
    int origin = leaf;
    long originVersion = version;
    // A left link may lag behind a split: what came out of the leaf is on the way back.
    int page = left;
    for (int hops = 0; page != 0; hops++) {
      BLinkStructure.checkHops(hops, page);
      copyLeaf(page, bound);
      if (hasLeft) {
        return false;
      }
      if (right == origin) {
        return latches.isStill(origin, originVersion);
      }
      if (bound <= high) {
        return true; // The current leaf is about to leave the tree, and its keys are here.
      }
      page = right;
    }
    return false;
  }

  private void askAhead(long key, int next, int direction) {
    if (mayRead) {
      ahead().step(key, next, direction);
    }
  }

  private LeavesAhead ahead() {
    LeavesAhead known = ahead;
    if (known == null) {
      known = new LeavesAhead(tree);
      ahead = known;
    }
    return known;
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    return ceiling(Long.MIN_VALUE);
  }

  @Override
  public boolean last() {
    return floor(Long.MAX_VALUE);
  }

  @Override
  public boolean ceiling(long key) {
    wantsRun = false;
    seek(key);
    return settle(slot < entries || advance(key));
  }

  @Override
  public boolean floor(long key) {
    wantsRun = false;
    seek(key);
    return settle(lastUpTo(key));
  }

  private void seek(long key) {
    if (ahead != null) {
      ahead.restart();
    }
    enterLeafOf(key);
  }

  @Override
  public boolean higher(long key) {
    return key == Long.MAX_VALUE ? settle(false) : ceiling(key + 1);
  }

  @Override
  public boolean lower(long key) {
    return key == Long.MIN_VALUE ? settle(false) : floor(key - 1);
  }

  /** Ends a move: on the entry in {@code slot}, or nowhere. */
  private boolean settle(boolean onEntry) {
    if (!onEntry) {
      ready = 0;
      slot = 0;
      tree.checkOpen();
      state = State.NOWHERE;
      return false;
    }
    state = State.ON_ENTRY;
    removed = false;
    ready = isForRuns ? 0 : entries;
    currentKey = wordAt(slot);
    return true;
  }

  /** Finds the place of the current key again if its leaf has changed. */
  private void catchUp() {
    tree.checkOpen();
    if (isCurrent()) {
      return;
    }
    enterLeafOf(currentKey);
    boolean found = slot < entries && wordAt(slot) == currentKey;
    state = found ? State.ON_ENTRY : State.BETWEEN;
    ready = found && !removed && !isForRuns ? entries : 0;
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public void scanTo(long key) {
    tree.checkOpen();
    if (mayRead) {
      ahead().scanTo(key);
    }
  }

  @Override
  public boolean next() {
    int after = slot + 1;
    if (after < ready && isCurrent()) {
      slot = after;
      currentKey = copy[after];
      return true;
    }
    wantsRun = false;
    return nextElsewhere();
  }

  private boolean nextElsewhere() {
    if (state == State.NOWHERE) {
      return first();
    }
    catchUp();
    int after = state == State.ON_ENTRY ? slot + 1 : slot;
    if (after >= entries) {
      return settle(currentKey != Long.MAX_VALUE && advance(currentKey + 1));
    }
    slot = after;
    return settle(true);
  }

  @Override
  public boolean previous() {
    if (slot > 0 && slot < ready && isCurrent()) {
      slot--;
      currentKey = copy[slot];
      return true;
    }
    wantsRun = false;
    return previousElsewhere();
  }

  private boolean previousElsewhere() {
    if (state == State.NOWHERE) {
      return last();
    }
    catchUp();
    if (slot > 0) {
      slot--;
      return settle(true);
    }
    long behind = currentKey;
    boolean isOnEntry = settle(behind != Long.MIN_VALUE && lastUpTo(behind - 1));
    // Scans end because keys descend.
    if (isOnEntry && (currentKey >= behind || wordAt(0) > currentKey)) {
      throw Torn.torn("keys of page " + leaf + " are out of order");
    }
    return isOnEntry;
  }

  @Override
  public boolean nextRun(LongRun run) {
    Objects.requireNonNull(run, "run");
    if (runCopy.byteSize() == 0) {
      runCopy = CursorMemory.allocate(2L * Long.BYTES * room);
      readOnlyRunCopy = runCopy.asReadOnly();
    }
    wantsRun = true;
    if (!nextElsewhere()) {
      return false;
    }
    if (!isForRuns) {
      turnToRuns();
    }
    long from = (long) slot << 3;
    run.set(readOnlyRunCopy, from, ((long) room << 3) + from, Long.BYTES, entries - slot);
    slot = entries - 1;
    currentKey = wordAt(slot);
    return true;
  }

  // ---------------------------------------------------------------- entry

  @Override
  public long key() {
    checkOnEntry();
    return currentKey;
  }

  @Override
  public long value() {
    checkOnEntry();
    return wordAt(room + slot);
  }

  @Override
  public void setValue(long value) {
    checkOnEntry();
    if (!writer.replace(currentKey, value)) {
      throw onNoEntry();
    }
  }

  @Override
  public void remove() {
    checkOnEntry();
    writer.remove(currentKey, 0);
    removed = true;
    ready = 0;
  }

  /**
   * Checks that there is an entry. What this thread has done to it since it was copied is seen,
   * what others have done is not: they could do it right after this check as well.
   */
  private void checkOnEntry() {
    if (slot >= ready || !isCurrent()) {
      checkOnEntryAnew();
    }
  }

  private void checkOnEntryAnew() {
    tree.checkOpen();
    if (state != State.NOWHERE && !isCurrent() && ownChangesSeen != tree.ownChanges()) {
      catchUp();
      ownChangesSeen = tree.ownChanges();
    }
    if (state != State.ON_ENTRY || removed) {
      throw onNoEntry();
    }
  }

  private static IllegalStateException onNoEntry() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
