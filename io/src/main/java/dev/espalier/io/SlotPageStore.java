// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one index of a store. A page keeps its number, but gets another slot whenever it is
 * written for the first time after a checkpoint, so that what the checkpoint needs stays as it is.
 */
final class SlotPageStore extends PooledPageStore {
  /** Slots that are kept free for each change that other threads make meanwhile. */
  static final int CHANGE_SLOTS = 64;

  /** What a change is for. */
  enum Need {
    /** A write that may let the index grow: it leaves the slots that are kept for removals. */
    GROWTH,
    /** A removal, which may take half of these; the next one makes a checkpoint first. */
    REMOVAL
  }

  /** An index with fewer pages is being made, or was cleared: it takes what is kept. */
  private static final int LEAST_PAGES = 16;

  private final IndexPages pages;
  private final SlotSpace space;

  /** Tells after which checkpoint pages are written. */
  private final LongSupplier checkpoint;

  private final WriterGate gate;

  /** Told of the writes of a tree for many threads, or null. */
  private @Nullable EntryLog entryLog;

  /**
   * Makes the page store of an index.
   *
   * @param changedPages counts the changed pages of all indexes of the store
   * @param pages the index, which has no other page store
   * @param gate through which those go who change pages
   */
  SlotPageStore(
      PageFile file,
      BufferPool pool,
      StoreCondition condition,
      AtomicInteger changedPages,
      IndexPages pages,
      SlotSpace space,
      LongSupplier checkpoint,
      WriterGate gate,
      boolean readsAhead) {
    super(file, pool, condition, changedPages, pages.numbers.top(), readsAhead);
    this.pages = pages;
    this.space = space;
    this.checkpoint = checkpoint;
    this.gate = gate;
  }

  // ---------------------------------------------------------------- for the pool

  @Override
  long position(int page) {
    int slot = page > 0 ? pages.map.slot(page) : 0;
    return space.isWritten(slot) ? space.position(slot) : -1;
  }

  @Override
  long seal(MemorySegment copies, long at, int page) {
    int slot = pages.map.slot(page);
    if (!space.isFresh(slot)) {
      slot = space.take();
    }
    PageSeal.set(copies, at, pageBytes(), page, PageSeal.tag(pages.id, checkpoint.getAsLong()));
    return space.position(slot);
  }

  @Override
  void noteWritten(int page, long position, int checksum) {
    int slot = space.slotAt(position);
    int old = pages.map.slot(page);
    space.noteWritten(slot);
    pages.map.set(page, slot, checksum);
    if (old != slot && old > PageMap.UNWRITTEN) {
      space.release(old); // Last: if the map can't grow, it still refers to it.
    }
  }

  @Override
  void noteNotWritten(int page, long position) {
    int slot = space.slotAt(position);
    if (pages.map.slot(page) != slot) {
      space.release(slot);
    }
  }

  @Override
  @Nullable PageFileException fault(MemorySegment memory, long offset, int page) {
    int checksum = pages.map.checksum(page);
    String fault = PageSeal.fault(memory, offset, pageBytes(), page, pages.id, checksum);
    return fault == null
        ? null
        : new CorruptPageException(
            file.path(),
            page,
            "of index '%s', in slot %d, %s".formatted(pages.name, pages.map.slot(page), fault));
  }

  @Override
  void checkPage(long page) {
    checkUsable();
    if (page < 1 || page > pages.numbers.top() || !isInUse((int) page)) {
      throw CorruptPageException.misled(
          file.path(),
          page,
          "of index '" + pages.name + "' is not in use, but another page leads there");
    }
    if (frameOf((int) page) == Frames.NONE && position((int) page) < 0) {
      throw CorruptPageException.misled(
          file.path(), page, "of index '" + pages.name + "' was never written");
    }
  }

  /** If only room is lacking, the store goes on; all other failures end its changes. */
  @Override
  PageFileException noteFailure(RuntimeException cause) {
    if (cause instanceof PageFileException failed
        && NoSlotException.ifFull(failed) instanceof NoSlotException full) {
      // Under the lock of the frames, as all writing of pages.
      space.noteRefusal(full);
      return full;
    }
    return super.noteFailure(cause);
  }

  // ---------------------------------------------------------------- writes of single keys

  /** Has a log told of the writes of a tree for many threads, from before anybody writes. */
  void tell(EntryLog log) {
    entryLog = log;
  }

  @Override
  public void beforeSet(long key, long value) {
    EntryLog log = entryLog;
    if (log != null) {
      log.set(key, value);
    }
  }

  @Override
  public void beforeRemoval(long key) {
    EntryLog log = entryLog;
    if (log != null) {
      log.delete(key);
    }
  }

  @Override
  public void beforeSet(MemorySegment key, MemorySegment value) {
    EntryLog log = entryLog;
    if (log != null) {
      log.set(key, value);
    }
  }

  @Override
  public void beforeRemoval(MemorySegment key) {
    EntryLog log = entryLog;
    if (log != null) {
      log.delete(key);
    }
  }

  // ---------------------------------------------------------------- pages

  @Override
  public long[] meta() {
    return pages.wholeMeta();
  }

  @Override
  public void whenMetaIsWanted(Runnable task) {
    pages.whenMetaIsWanted(task);
  }

  @Override
  public int allocate() {
    beforeChange();
    int page = pages.numbers.next();
    checkNumbers(page, 1);
    ensureFree(page, 1);
    enlargeTable(page);
    pool.waves.addFresh(this, page);
    take(page, 1);
    return page;
  }

  @Override
  public int allocate(int count) {
    beforeChange();
    int first = pages.numbers.next(count);
    checkNumbers(first, count);
    ensureFree(first, count);
    enlargeTable(first + count - 1);
    frames.lock.lock();
    try {
      pages.map.expect(first, first + count - 1); // First: if it fails, no slot is taken.
      int[] slots = space.takeRun(count);
      for (int i = 0; i < count; i++) {
        pages.map.set(first + i, slots[i], 0);
      }
    } catch (PageFileException failed) {
      throw refusal(failed);
    } finally {
      frames.lock.unlock();
    }
    take(first, count);
    return first;
  }

  private void take(int first, int count) {
    // Others may pin pages meanwhile, and look under the lock whether these are in use.
    frames.lock.lock();
    try {
      int moreOfMap = moreOfMap(first, count);
      if (moreOfMap > 0) {
        space.reserveMore(moreOfMap);
      }
      pages.numbers.take(first, count);
    } finally {
      frames.lock.unlock();
    }
    changed = true;
  }

  /** Returns how many more pages the map has if pages are given out. */
  private int moreOfMap(int first, int count) {
    int top = pages.numbers.top();
    return pages.map.mapPages(Math.max(top, first + count - 1)) - pages.map.mapPages(top);
  }

  private void checkNumbers(int first, int count) {
    if (first < 0 || first > Integer.MAX_VALUE - count) {
      throw new MemoryLimitException(file.path() + ": has the most pages an index can have");
    }
  }

  /**
   * Makes sure that there will be slots for what is changed and not yet written, and for more
   * pages.
   *
   * @throws MemoryLimitException if the device has no room for them
   */
  private void ensureFree(int first, int count) {
    long more = count + (long) moreOfMap(first, count) + slotsOfOthers();
    try {
      if (pages.numbers.inUse() < LEAST_PAGES) {
        ensureAvailable(more);
      } else {
        ensureSlots(more, Need.GROWTH);
      }
    } catch (PageFileException failed) {
      throw refusal(failed);
    }
  }

  /**
   * Makes sure that there are slots for what is changed and not yet written, for one change, and
   * for a given number of pages more, those of other changes included.
   *
   * @throws NoSlotException if the device has no room for them
   */
  void ensureSlots(long more, Need need) {
    ensureAvailable(more + (need == Need.REMOVAL ? slotsForRemovals() : space.kept()));
  }

  /** Returns how many pages a removal may change beside those that any change may. */
  int slotsForRemovals() {
    return space.kept() / 2;
  }

  @Override
  public void ensureRoomToChange(int count) {
    try {
      ensureSlots(count + slotsOfOthers(), Need.GROWTH);
    } catch (PageFileException failed) {
      throw refusal(failed);
    }
  }

  /** Returns how many slots others need for the changes that they are about. */
  private long slotsOfOthers() {
    return (long) CHANGE_SLOTS * Math.max(0, WriterGate.writers(gate.sum()) - 1);
  }

  private void ensureAvailable(long more) {
    int needed = (int) Math.min(changedPages.get() + more, Integer.MAX_VALUE / 2);
    if (space.available() < needed) {
      growFor(needed);
      frames.lock.lock();
      try {
        space.ensureAvailable(needed);
      } finally {
        frames.lock.unlock();
      }
    }
  }

  /**
   * Makes the file longer without the lock, which all files of the pool share: the device may take
   * its time. If it has no room for so much, less may do, which is seen to with the lock.
   */
  private void growFor(int needed) {
    long bytes;
    frames.lock.lock();
    try {
      bytes = space.bytesFor(needed);
    } finally {
      frames.lock.unlock();
    }
    try {
      if (bytes > 0) {
        file.grow(bytes);
      }
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw failed;
      }
    }
  }

  private RuntimeException refusal(PageFileException failed) {
    return failed instanceof NoSlotException full ? full.asLimit() : noteFailure(failed);
  }

  /**
   * Works even if no more changes are taken: a change that failed gives back what it had allocated.
   */
  @Override
  public void free(int page) {
    condition.checkWritable();
    if (isInUse(page)) {
      pool.invalidation.discard(this, page, () -> giveBack(page));
    } else {
      pages.numbers.giveBack(page); // says what is wrong
    }
    changed = true;
  }

  private void giveBack(int page) {
    pages.numbers.giveBack(page);
    int slot = pages.map.slot(page);
    pages.map.set(page, 0, 0);
    if (slot > PageMap.UNWRITTEN) {
      space.release(slot); // Last, as when a page is written.
    }
  }

  @Override
  public void clear() {
    beforeChange();
    pool.invalidation.forget(this);
    frames.lock.lock();
    try {
      pages.map.clear(space);
      pages.numbers.clear();
    } finally {
      frames.lock.unlock();
    }
    Arrays.fill(pages.meta, 0);
    changed = true;
  }

  // ---------------------------------------------------------------- facts

  @Override
  public int pagesInUse() {
    return pages.numbers.inUse();
  }

  /** What room there is, only the device knows; an index has numbers for so many. */
  @Override
  public boolean hasRoom(long extent, long more) {
    return extent + more <= Integer.MAX_VALUE - pages.numbers.top();
  }

  @Override
  public boolean isInUse(int page) {
    return pages.numbers.isInUse(page);
  }

  // ---------------------------------------------------------------- changes

  @Override
  public void leftHalfway(Throwable cause) {
    condition.noteHalfway(cause);
    pool.invalidation.forget(this);
  }

  /** Writes all changed pages, which the next checkpoint makes safe. */
  @Override
  public void flush() {
    pool.writeBack.writeAll(this);
  }

  /**
   * Lets go of the frames; the store has written what it wants to keep. A second call does nothing.
   */
  @Override
  public void close() {
    if (!isClosed()) {
      pages.forgetTree();
      condition.noteClosed();
      pool.invalidation.forget(this);
      pool.leave(this);
    }
  }
}
