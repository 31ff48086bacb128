// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;

/**
 * Writes changed pages in batches: copies of them are gathered in page order and sealed, and
 * neighbours become one request. All pages of a batch are written and waited for at once, with no
 * read among them (PIO principles 1 to 3).
 *
 * <p>All calls but {@link #writeAll} and {@link #unwritten} are made under the lock of the frames.
 * Those that write or wait release it meanwhile.
 */
final class WriteBack {
  /* Overview
   *
   * A batch is gathered under the lock of the frames, written without, and ended under the lock:
   *
   *     changed --- gather ---> writing --- end ---> clean, and where it was written is noted
   *                                     --- fail --> changed, as if nothing had happened
   *
   * What is written are copies, so the pages can be read and changed meanwhile. But they stay in
   * their frames: whoever wants to take a page from its frame, or to forget it, waits for the end.
   * No page is in two batches at once.
   *
   * The end of a batch needs the device and the lock, nothing else. So it is safe to wait for it
   * with pins, latches or locks of any kind.
   */

  /** Most bytes gathered: an SSD's bandwidth no longer grows beyond. */
  static final int MOST_BYTES = 1 << 20;

  private final Frames frames;

  /** Most pages of a batch. */
  private final int capacity;

  private final Arena arena;
  private final WriteRoom.Memory memory;

  /** How many batches there may be at once. */
  private int rooms;

  /** For how many there is memory: for one, and for more once there is need of it. */
  private int made;

  private final ArrayDeque<WriteRoom> free = new ArrayDeque<>();

  /** Signalled when a batch has ended. */
  private final Condition ended;

  /** Threads that wait until no batch is under way; none begins meanwhile. */
  private int waitingForAll;

  private long endedCount;
  private long failures;
  private long requests;
  private long written;

  /**
   * Takes memory for the copies of one batch.
   *
   * @param arena with which the memory is freed
   * @param memory where it comes from, now and when more batches are to be written at once
   * @param rooms how many batches may be written at once
   * @param capacity most pages of each
   */
  WriteBack(Frames frames, Arena arena, WriteRoom.Memory memory, int rooms, int capacity) {
    this.frames = frames;
    this.arena = arena;
    this.memory = memory;
    this.capacity = capacity;
    this.rooms = rooms;
    this.ended = frames.lock.newCondition();
    addRoom();
  }

  private void addRoom() {
    free.add(new WriteRoom(frames, arena, memory, capacity));
    made++;
  }

  /** Returns how many pages are written at once by one thread. */
  int capacity() {
    return capacity;
  }

  /** Returns the number of pages for whose copies there may be room. */
  int roomPages() {
    return rooms * capacity;
  }

  /** Returns the number of requests written so far. */
  long requests() {
    return requests;
  }

  /** Returns the number of pages written so far. */
  long written() {
    return written;
  }

  /** Returns how many batches could not be written. */
  long failures() {
    return failures;
  }

  // ---------------------------------------------------------------- wait

  /** Tells whether a batch can be begun, and takes memory for it if need be. */
  boolean hasRoom() {
    if (waitingForAll > 0) {
      return false;
    }
    if (free.isEmpty() && made < rooms) {
      try {
        addRoom();
      } catch (OutOfMemoryError | MemoryLimitException _) {
        rooms = made; // Slower, but right.
      }
    }
    return !free.isEmpty();
  }

  /** Tells whether a batch is under way. */
  boolean isWriting() {
    return free.size() < made;
  }

  /** Waits until a batch has ended, if one is under way. */
  void awaitEnd() {
    long before = endedCount;
    while (isWriting() && endedCount == before) {
      ended.awaitUninterruptibly();
    }
  }

  /** Waits until no batch is under way; none begins before the lock is given back. */
  void awaitAll() {
    waitingForAll++;
    while (isWriting()) {
      ended.awaitUninterruptibly();
    }
    waitingForAll--;
    ended.signalAll();
  }

  // ---------------------------------------------------------------- write

  /**
   * Writes all changed pages of a store, none of which is being changed, and waits for those that
   * other threads are writing.
   *
   * @throws PageFileException if that fails
   */
  void writeAll(PooledPageStore store) {
    writeAll(store, unwritten(store));
  }

  /** Does what {@link #writeAll(PooledPageStore)} does, but only for some {@link #unwritten}. */
  void writeAll(PooledPageStore store, long[] keys) {
    frames.lock.lock();
    try {
      long[] left = keys;
      while (left.length > 0) {
        left = writeFree(store, left);
        if (left.length > 0) {
          awaitEnd();
        }
      }
    } finally {
      frames.lock.unlock();
    }
  }

  /** Returns the keys of the frames of a store that may not be in the file yet, in page order. */
  long[] unwritten(PooledPageStore store) {
    frames.lock.lock();
    try {
      return frames.of(store).filter(frames::isUnwritten).mapToLong(frames::key).sorted().toArray();
    } finally {
      frames.lock.unlock();
    }
  }

  /** Writes the pages that others are not writing; returns the rest. */
  private long[] writeFree(PooledPageStore store, long[] keys) {
    long[] rest = new long[keys.length];
    int count = 0;
    for (int from = 0; from < keys.length; from += capacity) {
      while (!hasRoom()) {
        ended.awaitUninterruptibly();
      }
      int to = Math.min(from + capacity, keys.length);
      for (int i = from; i < to; i++) {
        if (frames.holds(store, keys[i]) && frames.isBeingWritten(Frames.frameOf(keys[i]))) {
          rest[count++] = keys[i];
        }
      }
      write(store, keys, from, to);
    }
    return Arrays.copyOf(rest, count);
  }

  /**
   * Writes some frames of a store, as far as they are changed, if there {@linkplain #hasRoom is
   * room}. Tells whether it could.
   *
   * @param keys the keys of the frames; they are sorted, and not looked at any more once the lock
   *     is released
   * @param count how many, no more than are written at once
   */
  boolean tryWrite(PooledPageStore store, long[] keys, int count) {
    if (!hasRoom()) {
      return false;
    }
    Arrays.sort(keys, 0, count);
    try {
      write(store, keys, 0, count);
      return true;
    } catch (PageFileException failed) {
      return false; // the store takes no more changes, and says why
    }
  }

  /** Writes, in page order, those of some frames that still have their pages and are changed. */
  private void write(PooledPageStore store, long[] keys, int from, int to) {
    WriteRoom room = free.removeFirst();
    boolean isWritten = false;
    try {
      for (int i = from; i < to; i++) {
        int frame = Frames.frameOf(keys[i]);
        if (frames.holds(store, keys[i]) && frames.beginWrite(frame)) {
          gather(store, frame, room);
        }
      }
      writeGathered(store.file, room);
      isWritten = true;
    } catch (RuntimeException failed) {
      failures++;
      throw store.noteFailure(failed);
    } finally {
      end(store, room, isWritten);
    }
  }

  private void gather(PooledPageStore store, int frame, WriteRoom room) {
    boolean isGathered = false;
    try {
      room.add(store, frame);
      isGathered = true;
    } finally {
      if (!isGathered) {
        frames.endWrite(frame, false);
      }
    }
  }

  /** Writes what was gathered, releasing the lock meanwhile. */
  private void writeGathered(PageFile file, WriteRoom room) {
    if (room.count() == 0) {
      return;
    }
    requests += room.endRequests();
    frames.lock.unlock();
    try {
      room.write(file);
    } finally {
      frames.lock.lock();
    }
  }

  /**
   * Notes what has become of what was gathered, and gives the room back. If there is no memory for
   * a note, the pages that it leaves out are changed as before, and are written once more.
   */
  private void end(PooledPageStore store, WriteRoom room, boolean isWritten) {
    int noted = 0;
    try {
      for (; isWritten && noted < room.count(); noted++) {
        store.noteWritten(room.page(noted), room.position(noted), room.checksum(noted));
        frames.endWrite(room.frame(noted), true);
      }
    } finally {
      written += noted;
      for (int i = noted; i < room.count(); i++) {
        store.noteNotWritten(room.page(i), room.position(i));
        frames.endWrite(room.frame(i), false);
      }
      room.clear();
      free.addFirst(room);
      endedCount++;
      ended.signalAll();
    }
  }
}
