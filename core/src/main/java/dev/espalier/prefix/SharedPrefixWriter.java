// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.support.Latches;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What the writers of a prefix B+-tree for many threads do. A write that changes one leaf latches
 * that and nothing else. One that needs more, a split or a page with another prefix, is made by one
 * thread at a time, as {@link PrefixChange} makes it; and so is each merge.
 */
final class SharedPrefixWriter {
  /** When to store a value. */
  enum When {
    ALWAYS,
    IF_ABSENT,
    IF_PRESENT
  }

  /** What an attempt has come to. */
  private enum Outcome {
    DONE,
    /** Others were faster. */
    AGAIN,
    /** The key needs a chain. */
    NEEDS_CHAIN,
    /** The leaf alone does not do. */
    NEEDS_STRUCTURE
  }

  private final PrefixStructure tree;
  private final PrefixSpace space;
  private final Latches latches;
  private final PrefixChange change;

  SharedPrefixWriter(PrefixStructure tree, PrefixSpace space) {
    this.tree = tree;
    this.space = space;
    this.latches = space.latches;
    this.change = new PrefixChange(tree);
  }

  /** One write, and what it has found. */
  private static final class Write {
    final PrefixThread thread;
    final MemorySegment key;
    final When when;
    final boolean wantsBefore;
    final MemorySegment value;

    /** Whether the store has been told of it. */
    boolean isTold;

    /** The generation in which its chains were written. */
    int generation;

    boolean wasThere;
    byte @Nullable [] before;

    /** Whether pages have left the tree. */
    boolean hasRetired;

    Write(
        PrefixThread thread,
        MemorySegment key,
        MemorySegment value,
        When when,
        boolean wantsBefore) {
      this.thread = thread;
      this.key = key;
      this.value = value;
      this.when = when;
      this.wantsBefore = wantsBefore;
    }
  }

  // ---------------------------------------------------------------- set

  /** Stores a value for a key; returns whether the key had one, or the value that it had. */
  Before set(
      PrefixThread thread, MemorySegment key, MemorySegment value, When when, boolean wantsBefore) {
    Write write = new Write(thread, key, value, when, wantsBefore);
    thread.entry.entry(key, value, tree.layout);
    boolean needsKeyChain = false;
    boolean needsStructure = false;
    try {
      Outcome outcome = Outcome.AGAIN;
      while (outcome != Outcome.DONE) {
        needsKeyChain |= outcome == Outcome.NEEDS_CHAIN;
        needsStructure |= outcome == Outcome.NEEDS_STRUCTURE;
        writeChains(write, needsKeyChain);
        outcome = needsStructure ? setInStructure(write) : setInLeaf(write);
      }
    } catch (RuntimeException | Error failed) {
      giveBackChains(write, failed);
      throw failed;
    }
    giveBackChains(write, null);
    if (write.hasRetired) {
      space.free();
    }
    return new Before(write.wasThere, write.before);
  }

  /**
   * What a write has found.
   *
   * @param value of the key before, if it was asked for
   */
  @SuppressWarnings("ArrayRecordComponent") // It is never compared.
  record Before(boolean wasThere, byte @Nullable [] value) {}

  /** Writes the chains that the entry needs and does not have. */
  private void writeChains(Write write, boolean needsKeyChain) {
    NewEntry entry = write.thread.entry;
    int inPage = tree.layout.keyBytes;
    boolean isInline = tree.layout.isInline(entry.keyLength, entry.valueLength);
    forgetVoidChains(write, space.generation);
    do { // All pages may be replaced between one chain and the other.
      if (!isInline && entry.valueChain == 0) {
        writeValue(write);
      }
      if (needsKeyChain && entry.keyChain == 0) {
        entry.keyChain = writeKeyChain(write, entry.key, inPage, entry.keyLength - inPage);
      }
    } while (!isInline && entry.valueChain == 0);
  }

  /** Forgets chains that are of another generation than the one that is. */
  private static void forgetVoidChains(Write write, int generation) {
    if (write.generation != generation) {
      write.thread.entry.forgetValueChain();
      write.thread.entry.keyChain = 0;
      write.generation = generation;
    }
  }

  /** Writes a long value, unless all pages are replaced meanwhile: then it is void. */
  private void writeValue(Write write) {
    NewEntry entry = write.thread.entry;
    PlacedValue placed = space.place(entry.valueLength);
    forgetVoidChains(write, placed.generation);
    entry.placed = placed; // From now on, it is given back if the write fails.
    int operation = space.epochs.enter();
    try {
      if (placed.generation == space.generation) {
        tree.pieces.fill(placed, entry.value);
      }
    } finally {
      space.epochs.exit(operation);
    }
    entry.valueChain = placed.first();
  }

  /** Does the same with what of a key is not in its page; returns its first page. */
  private int writeKeyChain(Write write, MemorySegment from, long at, int bytes) {
    int[] pages = new int[tree.chain.pages(bytes)];
    int taken = space.allocate(pages);
    forgetVoidChains(write, taken);
    try {
      int operation = space.epochs.enter();
      try {
        if (taken == space.generation) {
          tree.chain.fill(pages, from, at, bytes);
        }
      } finally {
        space.epochs.exit(operation);
      }
      return pages[0];
    } catch (RuntimeException | Error failed) {
      space.giveBack(pages, taken);
      throw failed;
    }
  }

  /** Ends a write: gives back chains that were not needed. */
  private void giveBackChains(Write write, @Nullable Throwable failed) {
    NewEntry entry = write.thread.entry;
    try {
      if (entry.placed != null) {
        space.giveBack(entry.placed);
      }
      space.giveBackChain(entry.keyChain, write.generation);
    } catch (RuntimeException | Error second) {
      tree.store.leftHalfway(second);
      if (failed == null) {
        throw second;
      }
      failed.addSuppressed(second);
    } finally {
      entry.forgetValueChain();
      entry.keyChain = 0;
      entry.forget();
    }
  }

  /** Notes that the chains of an entry are part of the tree. */
  private void keepChains(NewEntry entry, boolean isNew) {
    if (entry.placed != null) {
      tree.pieces.keep(entry.placed);
      entry.forgetValueChain();
    }
    if (isNew && entry.keyChain != 0) {
      tree.used(tree.chain.pages(entry.keyLength - tree.layout.keyBytes));
      entry.keyChain = 0;
    }
  }

  private Outcome setInLeaf(Write write) {
    int inserted = 0;
    int operation = space.epochs.enter();
    PrefixLook look = write.thread.look;
    try {
      if (write.generation != space.generation) {
        return Outcome.AGAIN;
      }
      int found = latchLeaf(look, write.key);
      boolean isChanged = false;
      int oldChain = 0;
      try {
        Outcome settled = settle(write, look.at, found);
        if (settled != null) {
          return settled;
        }
        NewEntry entry = write.thread.entry;
        if (!fitsInLeaf(look.at, found, entry)) {
          return Outcome.NEEDS_STRUCTURE;
        }
        if (found >= 0) {
          tree.checkLeaving(look.at, found);
          oldChain = tree.valueChain(look.at, found);
        }
        tell(write);
        isChanged = true;
        changeLeaf(look, found, entry);
        keepChains(entry, found < 0);
      } finally {
        unlatchLeaf(look, isChanged);
      }
      inserted = found < 0 ? 1 : 0;
      retireChain(oldChain);
      write.hasRetired = oldChain != 0;
      return Outcome.DONE;
    } finally {
      look.release();
      space.epochs.exit(operation, inserted);
    }
  }

  /** Notes what there is; returns what is to be done if nothing is to be changed, or not yet. */
  private @Nullable Outcome settle(Write write, long page, int found) {
    write.wasThere = found >= 0;
    NewEntry entry = write.thread.entry;
    if (found >= 0) {
      if (write.wantsBefore) {
        write.before = valueOf(page, found);
      }
      return write.when == When.IF_ABSENT ? Outcome.DONE : null;
    }
    write.before = null;
    if (write.when == When.IF_PRESENT) {
      return Outcome.DONE;
    }
    return entry.keyLength > tree.layout.keyBytes && entry.keyChain == 0
        ? Outcome.NEEDS_CHAIN
        : null;
  }

  /** Tells the store of a value that is about to be stored, in a leaf that is latched. */
  private void tell(Write write) {
    if (!write.isTold) {
      tree.store.beforeSet(write.key, write.value);
      write.isTold = true;
    }
  }

  /** Tells whether it is enough to change a leaf, which is latched and pinned. */
  private boolean fitsInLeaf(long page, int found, NewEntry entry) {
    MemorySegment pages = tree.pages;
    return found >= 0
        ? change.hasRoomInPage(page, PageLayout.slot(pages, page, found), entry)
        : tree.build.hasRoom(pages, page, entry)
            && tree.build.hasPrefix(pages, page, entry.key, entry.keyBytes);
  }

  /** Changes a leaf that is latched and pinned, and where the entry fits. */
  private void changeLeaf(PrefixLook look, int found, NewEntry entry) {
    MemorySegment pages = tree.pages;
    long page = look.at;
    latches.beginChange(look.number);
    try {
      if (found < 0) {
        tree.build.insert(pages, page, ~found, entry);
      } else {
        long slot = PageLayout.slot(pages, page, found);
        change.replaceInPage(page, slot, PageLayout.valueAt(pages, page, slot), entry);
      }
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      throw failed;
    } finally {
      latches.endChange(look.number);
    }
  }

  /** Does the same while no other thread changes the structure. */
  private Outcome setInStructure(Write write) {
    space.structure.lock();
    try {
      for (int needed = 0; ; ) {
        change.reserve(needed);
        int operation = space.epochs.enter();
        try {
          if (write.generation != space.generation) {
            return Outcome.AGAIN;
          }
          return changeStructure(write);
        } catch (PrefixChange.TooFewSpares more) {
          needed = more.needed;
        } finally {
          space.epochs.exit(operation);
        }
      }
    } finally {
      try {
        change.freeSpares();
      } finally {
        space.structure.unlock();
      }
    }
  }

  private Outcome changeStructure(Write write) {
    int leaf = change.findLeaf(write.key);
    latches.latch(leaf);
    try {
      int found;
      long page = tree.store.pin(leaf);
      try {
        found = tree.search(page, write.key);
        Outcome settled = settle(write, page, found);
        if (settled != null) {
          return settled;
        }
        if (found >= 0) {
          tree.checkLeaving(page, found);
        }
      } finally {
        tree.store.unpin(page, false);
      }
      tell(write);
      try {
        change.apply(found, write.thread.entry);
      } catch (PrefixChange.TooFewSpares nothingChanged) {
        throw nothingChanged;
      } catch (RuntimeException | Error failed) {
        tree.store.leftHalfway(failed);
        throw failed;
      }
      keepChains(write.thread.entry, found < 0);
      write.hasRetired = found >= 0; // Perhaps.
      return Outcome.DONE;
    } finally {
      latches.unlatch(leaf);
    }
  }

  // ---------------------------------------------------------------- leaves

  /** Latches the leaf where a key is or belongs, and pins it; returns the slot of the key. */
  private int latchLeaf(PrefixLook look, MemorySegment key) {
    while (true) {
      int found;
      try {
        found = look.find(key);
      } catch (RuntimeException torn) {
        if (look.isStill()) {
          throw torn;
        }
        continue;
      }
      if (!look.isStill()) {
        continue;
      }
      int leaf = look.number;
      if (!latches.latchIfStill(leaf, look.version)) {
        latches.latch(leaf);
        if (!latches.isStill(leaf, look.version)) {
          latches.unlatch(leaf);
          continue;
        }
      }
      try {
        look.pin();
      } catch (RuntimeException | Error failed) {
        latches.unlatch(leaf);
        throw failed;
      }
      return found;
    }
  }

  /** Makes sure that the chains of a key can be freed, which nobody else writes. */
  void checkLeaving(PrefixLook look, MemorySegment key) {
    try {
      while (true) {
        try {
          int found = look.find(key);
          int keyChain = found < 0 ? 0 : tree.keyChain(look.at, found);
          int valueChain = found < 0 ? 0 : tree.valueChain(look.at, found);
          if (look.isStill()) {
            tree.pieces.checkLeaving(keyChain);
            tree.pieces.checkLeaving(valueChain);
            return;
          }
        } catch (RuntimeException failed) {
          if (look.isStill()) {
            throw failed;
          }
        }
      }
    } finally {
      look.release();
    }
  }

  private void unlatchLeaf(PrefixLook look, boolean isChanged) {
    try {
      look.release(isChanged);
    } finally {
      latches.unlatch(look.number);
    }
  }

  private byte[] valueOf(long page, int i) {
    byte[] value = new byte[tree.valueLength(page, i)];
    tree.readValue(
        page,
        i,
        (piece, from, bytes, position, _) ->
            MemorySegment.copy(piece, from, MemorySegment.ofArray(value), position, bytes));
    return value;
  }

  private void retireChain(int first) {
    try {
      tree.retireChain(first);
    } catch (RuntimeException | Error failed) {
      tree.store.leftHalfway(failed);
      throw failed;
    }
  }

  // ---------------------------------------------------------------- delete

  /** Removes a key; returns whether it was there, or the value that it had. */
  Before delete(PrefixThread thread, MemorySegment key, boolean wantsBefore) {
    PrefixLook look = thread.look;
    byte[] before = null;
    boolean isSmall;
    boolean isEmpty;
    boolean hasRetired;
    int removed = 0;
    int operation = space.epochs.enter();
    try {
      int found = latchLeaf(look, key);
      boolean isChanged = false;
      int valueChain;
      int keyChain;
      try {
        if (found < 0) {
          return new Before(false, null);
        }
        long page = look.at;
        before = wantsBefore ? valueOf(page, found) : null;
        tree.checkLeaving(page, found);
        valueChain = tree.valueChain(page, found);
        keyChain = tree.keyChain(page, found);
        tree.store.beforeRemoval(key);
        latches.beginChange(look.number);
        try {
          change.remove(page, found);
        } catch (RuntimeException | Error failed) {
          tree.store.leftHalfway(failed);
          throw failed;
        } finally {
          latches.endChange(look.number);
        }
        isChanged = true;
        isEmpty = PageLayout.count(tree.pages, page) == 0;
        isSmall = tree.layout.usedBytes(tree.pages, page) < tree.layout.pageBytes / 4;
      } finally {
        unlatchLeaf(look, isChanged);
      }
      removed = 1;
      retireChain(keyChain);
      retireChain(valueChain);
      hasRetired = (keyChain | valueChain) != 0;
    } finally {
      look.release();
      space.epochs.exit(operation, -removed);
    }
    if (isSmall && tree.height() > 1) {
      merge(key, isEmpty);
      hasRetired = true; // Perhaps.
    }
    if (isEmpty && tree.size.get() == 0 && tree.height() > 1) {
      clearIfEmpty();
    }
    if (hasRetired) {
      space.free();
    }
    return new Before(true, before);
  }

  /** Returns what removes a range by whole leaves, of which the caller has the tree alone. */
  PrefixCut cut(BytesCursor cursor, MemorySegment from, MemorySegment to, boolean toInclusive) {
    return new PrefixCut(tree, change, cursor, from, true, to, toInclusive);
  }

  /**
   * Merges the leaf of a key, and pages above it, with neighbours if they have become small.
   *
   * @param mustWait whether it is to be done even if another thread is changing the structure
   */
  private void merge(MemorySegment key, boolean mustWait) {
    if (mustWait) {
      space.structure.lock();
    } else if (!space.structure.tryLock()) {
      return;
    }
    try {
      int operation = space.epochs.enter();
      try {
        int leaf = change.findLeaf(key);
        latches.latch(leaf);
        try {
          change.mergeUp();
        } finally {
          latches.unlatch(leaf);
        }
      } catch (RuntimeException | Error failed) {
        tree.store.leftHalfway(failed);
        throw failed;
      } finally {
        space.epochs.exit(operation);
      }
    } finally {
      space.structure.unlock();
    }
  }

  /** Frees empty pages that merges have left. */
  private void clearIfEmpty() {
    space.aloneIfNobodyReads(
        () -> {
          if (tree.size.get() == 0 && tree.height() > 1) {
            tree.clear();
          }
        });
  }

  /** Fills the tree, which is empty; by the one who has it alone. */
  void load(BytesEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    tree.clear();
    try {
      tree.store.free(tree.root());
      PrefixBulkload.load(tree, entries, fillFactor, total, listener);
      space.replaced();
    } catch (RuntimeException | Error failed) {
      try {
        tree.clear();
      } catch (RuntimeException second) {
        failed.addSuppressed(second);
      }
      throw failed;
    }
  }
}
