// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes checkpoints. A checkpoint is what is in the store at one moment, complete in slots that
 * nothing overwrites; a header then makes it the one that counts.
 */
final class Checkpoints {
  /* Overview
   *
   *  1. Changed pages are written while others write, until few are left; if they change as fast as
   *     they are written, writers wait for a few pages at a time.
   *  2. Nobody writes: the rest of them; the changed pages of the maps and the catalogue are put
   *     together; all slots that the maps refer to are captured. Writers go on.
   *  3. Maps and catalogue are written, and the file and the log are forced.
   *  4. The header is written over that of the checkpoint before the last, and forced.
   *  5. What only the checkpoint before needs is free: its slots, and segments of the log.
   *
   * A failure in 3 and 4 ends all changes: on the device is this checkpoint or the one before, and
   * both are right. If only room is lacking, the checkpoint is pending, and is gone on with before
   * the next one begins.
   */

  /** Slots that are kept for pages of the maps that may yet come into being. */
  private static final int MAP_SLACK = 8;

  /** The pause is short if no more than this is left to be written in it. */
  private static final long LEFT_BYTES = 4 << 20;

  /** Rounds of writing before the pause, as long as each leaves half of what the last one left. */
  private static final int MOST_ROUNDS = 8;

  private final StoreState state;

  /** Held during a checkpoint; taken before this thread is alone in the gate. */
  final ReentrantLock lock = new ReentrantLock();

  private int[] catalogueSlots;

  /** Bytes of the next catalogue, but for what notes add to it. */
  private int catalogueBytes;

  /** What was captured and could not be written for want of room, or null. */
  private @Nullable Captured pending;

  private final LongAdder mapBytesWritten = new LongAdder();

  /**
   * Begins.
   *
   * @param catalogueSlots those of the catalogue that counts
   */
  Checkpoints(StoreState state, int[] catalogueSlots) {
    this.state = state;
    this.catalogueSlots = catalogueSlots;
  }

  /** Returns the slots of the catalogue that counts; while {@link #lock} is held. */
  int[] catalogueSlots() {
    return catalogueSlots.clone();
  }

  /** Returns the bytes of maps and catalogues that were written. */
  long mapBytesWritten() {
    return mapBytesWritten.sum();
  }

  /** What was captured, and is to be completed. */
  private record Captured(StoreHeader header, PageImages images) {}

  /**
   * Makes a checkpoint.
   *
   * @param isLast whether the store is closed after it
   * @throws NoSlotException if there is no room for it; all is as before
   * @throws PageFileException if the device fails; no more changes are taken then
   */
  void make(boolean isLast) {
    lock.lock();
    try {
      state.condition.checkTakesChanges();
      completePending();
      cleanAhead();
      pending = capture(isLast);
      completePending();
    } catch (NoSlotException full) {
      throw full;
    } catch (PageFileException failed) {
      throw state.condition.noteFailure(failed);
    } catch (Error failed) {
      state.condition.noteFailure(failed); // What was captured may be lost.
      throw failed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Goes on with the checkpoint that found no room, if there is one; while {@link #lock} is held.
   *
   * @throws NoSlotException if there is still no room for it
   * @throws PageFileException if the device fails
   */
  void completePending() {
    Captured captured = pending;
    if (captured == null) {
      return;
    }
    boolean lacksRoom = false;
    try {
      complete(captured.header, captured.images);
    } catch (NoSlotException full) {
      lacksRoom = true;
      throw full;
    } finally {
      if (!lacksRoom) {
        forgetPending();
      }
    }
  }

  /** Gives up a checkpoint that found no room, when the store is closed. */
  void forgetPending() {
    Captured captured = pending;
    pending = null;
    if (captured != null) {
      captured.images.close();
    }
  }

  /** Tells whether another checkpoint would make slots free. */
  boolean wouldMakeRoom() {
    state.pool.frames.lock.lock();
    try {
      return state.changedPages.get() > 0 || state.space.hasSlotsOfLastOnly();
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  /** Writes changed pages of the store until few are left for the pause. */
  private void cleanAhead() {
    long few = LEFT_BYTES / state.pageBytes();
    int left = state.changedPages.get();
    int before;
    int rounds = 0;
    do {
      writePages();
      rounds++;
      before = left;
      left = state.changedPages.get();
    } while (rounds < MOST_ROUNDS && left > few && left <= before / 2);
    if (left > few) {
      openStores().forEach(store -> writeByTurns(store, (int) Math.max(1, few)));
    }
  }

  /** Writes changed pages, while others may change more. */
  private void writePages() {
    openStores().forEach(PooledPageStore::flush);
  }

  /**
   * Writes the changed pages of an index, in turns with those who change more: each turn is as
   * short as the pause.
   */
  private void writeByTurns(PooledPageStore store, int few) {
    long[] keys = state.pool.writeBack.unwritten(store);
    for (int from = 0; from < keys.length; from += few) {
      long[] some = Arrays.copyOfRange(keys, from, Math.min(from + few, keys.length));
      state.gate.enterAlone();
      try {
        state.pool.writeBack.writeAll(store, some);
      } finally {
        state.gate.leaveAlone();
      }
    }
  }

  private List<PooledPageStore> openStores() {
    List<PooledPageStore> stores = new ArrayList<>();
    state.gate.enterAlone();
    try {
      state.open.values().forEach(index -> stores.add(index.pages()));
    } finally {
      state.gate.leaveAlone();
    }
    return stores;
  }

  private Captured capture(boolean isLast) {
    state.gate.enterAlone();
    try {
      for (OpenIndex index : state.open.values()) {
        index.pages().flush();
      }
      state.pool.frames.lock.lock();
      try {
        return captureMaps(isLast);
      } finally {
        state.pool.frames.lock.unlock();
      }
    } finally {
      state.gate.leaveAlone();
    }
  }

  private Captured captureMaps(boolean isLast) {
    // All or nothing: from here on nothing may be refused.
    state.space.ensureFree(mapSlots());
    PageImages images = new PageImages(state.pageBytes());
    try {
      return captureMaps(isLast, images);
    } catch (RuntimeException | Error failed) {
      images.close();
      throw failed;
    }
  }

  private Captured captureMaps(boolean isLast, PageImages images) {
    SlotSpace space = state.space;
    int pageBytes = state.pageBytes();
    long checkpoint = state.header.checkpoint() + 1;
    List<Catalogue.Entry> entries = new ArrayList<>();
    for (IndexPages index : state.indexes.values()) {
      entries.add(index.capture(space, checkpoint, images));
    }
    for (int slot : catalogueSlots) {
      space.release(slot);
    }
    Catalogue catalogue = new Catalogue(state.nextId, entries, state.note);
    catalogueSlots = new int[catalogue.pages(pageBytes)];
    Catalogue.Place place = catalogue.capture(space, pageBytes, checkpoint, images, catalogueSlots);
    space.capture();
    state.captured = checkpoint;
    reserve();
    Log.Position end = state.log.end();
    StoreHeader before = state.header;
    StoreHeader header =
        new StoreHeader(
            before.storeId(),
            checkpoint,
            state.log.appended(),
            before.epoch(),
            end.segment(),
            end.offset(),
            place.slot(),
            place.checksum(),
            pageBytes,
            before.segmentBytes(),
            space.capturedEnd(),
            before.stripes(),
            isLast);
    return new Captured(header, images);
  }

  /** Keeps slots free for the next checkpoint, however full the device gets. */
  void reserve() {
    boolean reserves = state.environment.keeps(Rule.SLOTS_ARE_RESERVED);
    state.space.reserve(reserves ? mapSlots() + MAP_SLACK : 0);
  }

  /**
   * Keeps slots free for what the next checkpoint tells of an index that is being made. O(1).
   *
   * @param entryBytes of its entry in the catalogue
   * @throws NoSlotException if there is no room on the device
   */
  void reserveFor(IndexPages made, int entryBytes) {
    if (!state.environment.keeps(Rule.SLOTS_ARE_RESERVED)) {
      return;
    }
    int pages = Catalogue.pages(catalogueBytes, state.pageBytes());
    int bytes = catalogueBytes + entryBytes;
    int more = catalogues() * (Catalogue.pages(bytes, state.pageBytes()) - pages);
    state.pool.frames.lock.lock();
    try {
      int slots = more + made.map.mapPages(0);
      state.space.ensureAvailable(slots);
      state.space.reserveMore(slots);
    } finally {
      state.pool.frames.lock.unlock();
    }
    catalogueBytes = bytes;
  }

  private int catalogues() {
    return state.environment.keeps(Rule.ONE_MORE_CATALOGUE_IS_RESERVED) ? 2 : 1;
  }

  /** Returns how many slots maps and catalogue take at most, and one more catalogue. */
  private int mapSlots() {
    catalogueBytes = Catalogue.HEADER_BYTES + state.note.length;
    int slots = 0;
    for (IndexPages index : state.indexes.values()) {
      slots += index.map.mapPages(index.numbers.top());
      catalogueBytes += index.asMade().bytes().length;
    }
    return slots + catalogues() * Catalogue.pages(catalogueBytes, state.pageBytes());
  }

  private void complete(StoreHeader captured, PageImages images) {
    StoreHeader header = captured;
    if (!state.environment.keeps(Rule.SEGMENTS_ARE_FREE_AFTER_THE_HEADER)) {
      state.log.trim(header.logSegment());
    }
    if (!state.environment.keeps(Rule.HEADER_COMES_LAST)) {
      header.writeTo(state.file, state.environment.random().nextLong());
    }
    try {
      images.write(state.file);
    } catch (PageFileException failed) {
      throw NoSlotException.ifFull(failed);
    }
    mapBytesWritten.add(images.bytes());
    state.file.force();
    if (!state.environment.keeps(Rule.PAGES_AND_LOG_POSITION_ARE_OF_ONE_MOMENT)) {
      header = header.withLogFrom(state.log.appended(), state.log.end());
    }
    try {
      state.log.awaitWithSegment(header.sequence());
      header = header.withForced(state.log.forced());
      header.writeTo(state.file, state.environment.random().nextLong());
    } catch (PageFileException failed) {
      throw NoSlotException.ifFull(failed);
    }
    state.file.force();
    state.pool.frames.lock.lock();
    try {
      state.header = header;
      state.space.settle();
      state.space.noteRoom();
      state.space.truncate();
    } finally {
      state.pool.frames.lock.unlock();
    }
    state.log.noteDurable(header.sequence());
    state.log.trim(header.logSegment());
  }
}
