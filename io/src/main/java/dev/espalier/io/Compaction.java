// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.IntSupplier;

/**
 * Makes the file of a store shorter: moves what is at its end to free slots closer to its
 * beginning, until the end can be cut off.
 */
final class Compaction {
  /* Overview
   *
   * A round begins with a checkpoint, so that no slot is busy for the sake of an older one, and
   * chooses a mark: below it there is room for all that is in use. Pages above it are copied to
   * free slots below, some at a time; maps and catalogue follow at the checkpoint that ends the
   * round, and then the end of the file is free.
   *
   * A page is copied as it is in the file. Whoever changes it meanwhile writes it to another slot,
   * for its slot is the checkpoint's, and no other checkpoint can be made during a step; then the
   * copy is given up. So it is if the page is being read from where it was.
   *
   * Whoever writes meanwhile takes slots below the mark as well, so some pages may find none. Then
   * there is another round.
   *
   * A store that is closed is made shorter, too: what only the checkpoint before the last has
   * needed may be half of the file. The last checkpoint has been made then, so whatever happens
   * next, the store is whole. It is worth no more than the work of the writes that came before.
   */

  private static final int MOST_ROUNDS = 4;

  /** Most bytes that are moved when a store is closed: its user waits for that. */
  private static final long MOST_AT_CLOSE_BYTES = 256L << 20;

  /** If less is given back, a store that is closed is left as it is. */
  private static final long LEAST_AT_CLOSE_BYTES = 4L << 20;

  /** Pages that are looked at without letting others have the lock of the frames. */
  private static final int LOOKED_AT = 1 << 14;

  private final StoreState state;
  private final SlotSpace space;
  private final Checkpoints checkpoints;
  private final ProgressListener listener;

  /** Slots from this one on are to be free. */
  private int mark;

  private long moved;

  /** Slots that were to be moved when the round began. */
  private long total;

  Compaction(StoreState state, Checkpoints checkpoints, ProgressListener listener) {
    this.state = state;
    this.space = state.space;
    this.checkpoints = checkpoints;
    this.listener = listener;
  }

  /** Returns the bytes by which the file was made shorter. */
  long run() {
    long before = bytes();
    boolean again = true;
    for (int round = 0; round < MOST_ROUNDS && again; round++) {
      again = round();
    }
    return Math.max(0, before - bytes());
  }

  private long bytes() {
    state.pool.frames.lock.lock();
    try {
      return space.position(space.room());
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  /** Moves what is behind a new mark; tells whether another round may move more. */
  private boolean round() {
    checkpoints.make(false);
    List<IndexPages> indexes = begin(space::leastEnd);
    if (total > 0) {
      move(indexes);
      checkpoints.make(false);
    }
    return cut();
  }

  /**
   * Makes the file of a store that is being closed shorter, if much of it is free, by the thread
   * that is alone and has made the last checkpoint. If pages are moved, it makes another one.
   *
   * @throws PageFileException if the device fails; on it is the one checkpoint or the other
   */
  void runAtClose() {
    long most = Math.min(state.log.appendedBytes(), MOST_AT_CLOSE_BYTES);
    int end = closedEnd((int) (most / state.pageBytes()));
    if (bytes() - space.position(end) < LEAST_AT_CLOSE_BYTES) {
      return;
    }
    List<IndexPages> indexes = begin(() -> end);
    try {
      if (total > 0) {
        moveReadable(indexes);
        checkpoints.make(true);
      }
      cut();
    } catch (NoSlotException _) {
      // The file stays as long as it is.
    }
  }

  private int closedEnd(int most) {
    state.pool.frames.lock.lock();
    try {
      return space.closedEnd(most);
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  /** Moves pages up to the first that can't be read, or finds no room: closing goes on. */
  private void moveReadable(List<IndexPages> indexes) {
    try {
      move(indexes);
    } catch (PageFileException failed) {
      if (state.condition.hasFailed()) {
        throw failed;
      }
    }
  }

  /** Chooses the mark; returns the indexes whose pages are to be looked at. */
  private List<IndexPages> begin(IntSupplier end) {
    checkpoints.lock.lock();
    state.pool.frames.lock.lock();
    try {
      mark = end.getAsInt();
      moved = 0;
      total = space.currentFrom(mark);
      state.indexes.values().forEach(index -> index.map.renewFrom(mark));
      return List.copyOf(state.indexes.values());
    } finally {
      state.pool.frames.lock.unlock();
      checkpoints.lock.unlock();
    }
  }

  /** Makes the file as short as it can be; tells whether that is longer than it was meant to be. */
  private boolean cut() {
    state.pool.frames.lock.lock();
    try {
      space.cut(mark);
      return space.room() > mark;
    } catch (PageFileException failed) {
      throw state.condition.noteFailure(failed);
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- pages

  private void move(List<IndexPages> indexes) {
    try (PageBatch batch = new PageBatch(state.pageBytes())) {
      for (IndexPages index : indexes) {
        move(index, batch);
      }
    }
  }

  /** Moves the pages of an index, as far as there are free slots below the mark. */
  private void move(IndexPages index, PageBatch batch) {
    int page = 1;
    while (page > 0) {
      batch.clear();
      int[] slots = new int[batch.capacity()];
      checkpoints.lock.lock();
      try {
        state.condition.checkTakesChanges();
        page = gather(index, page, batch, slots);
        copy(index, batch, Arrays.copyOf(slots, batch.count()));
      } finally {
        checkpoints.lock.unlock();
      }
      moved += batch.count();
      if (!listener.onProgress(Math.min(moved, total), total)) {
        throw new CancellationException(state.path + ": making the file shorter was cancelled");
      }
    }
  }

  /**
   * Finds the next pages behind the mark, and a slot below it for each; returns the page to go on
   * with, 0 if there is no other, or no slot.
   */
  private int gather(IndexPages index, int from, PageBatch batch, int[] slots) {
    state.pool.frames.lock.lock();
    try {
      int end = index.map.end();
      for (int page = from; page < end; page++) {
        if (batch.isFull() || page - from == LOOKED_AT) {
          return page;
        }
        int slot = index.map.slot(page);
        if (slot >= mark && !space.isFresh(slot)) {
          slots[batch.count()] = space.takeBelow(mark);
          if (slots[batch.count()] == 0) {
            return 0;
          }
          batch.add(page, slot, index.map.checksum(page));
        }
      }
      return 0;
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  private void copy(IndexPages index, PageBatch batch, int[] slots) {
    boolean isCopied = false;
    try {
      batch.read(state.file);
      batch.check(state.file, index);
      write(batch, slots);
      isCopied = true;
      awaitReads(index, batch);
    } finally {
      install(index, batch, slots, isCopied);
    }
  }

  private void write(PageBatch batch, int[] slots) {
    try {
      batch.write(state.file, slots);
    } catch (PageFileException failed) {
      throw SlotSpace.isFull(failed)
          ? NoSlotException.ifFull(failed) // The page stays where it is.
          : state.condition.noteFailure(failed);
    }
  }

  /** Waits for those who are reading the pages from their old places. */
  private void awaitReads(IndexPages index, PageBatch batch) {
    OpenIndex open = state.open.get(index.name);
    if (open != null) {
      for (int i = 0; i < batch.count(); i++) {
        state.pool.inFlight.awaitRead(open.pages(), batch.page(i));
      }
    }
  }

  /** Lets the map know of the copies, unless a page has gone elsewhere or is being read. */
  private void install(IndexPages index, PageBatch batch, int[] slots, boolean isCopied) {
    OpenIndex open = state.open.get(index.name);
    Frames frames = state.pool.frames;
    frames.lock.lock();
    try {
      for (int i = 0; i < slots.length; i++) {
        int page = batch.page(i);
        int frame = open == null ? Frames.NONE : open.pages().frameOf(page);
        boolean isRead = frame != Frames.NONE && (frames.state(frame) & Frames.BUSY) != 0;
        if (isCopied && !isRead && index.map.slot(page) == batch.slot(i)) {
          space.release(batch.slot(i));
          space.noteWritten(slots[i]);
          index.map.set(page, slots[i], batch.checksum(i));
        } else {
          space.release(slots[i]);
        }
      }
    } finally {
      frames.lock.unlock();
    }
  }
}
