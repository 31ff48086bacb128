// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The end of a store's log, where records are appended and made durable.
 *
 * <p>Any number of threads may append records, which get their sequence numbers and their places
 * under one short lock, and may wait until a record is durable: the first one writes and forces
 * everything that has been appended by then, and the others get that for free (group commit).
 */
final class Log implements AutoCloseable {
  /* Overview
   *
   * One thread at a time writes: it has set `writing`. It waits for the device without the lock,
   * while others append to the other half of the buffer. The segment that is written to changes
   * only while nobody writes. Where nobody waits for a force, a half that is full is handed to the
   * device, and waited for when the other one is full as well, or is to be forced.
   *
   *  segments:  in use, written | in use, unforced | current | ready | free ...
   *
   * A half that finds no room on the device, as may happen on file systems that never write in
   * place, stays under way, and is written again before anything else is.
   */

  /**
   * How often a thread that appends looks at the lock before it sleeps: another record is appended
   * in a tenth of the time that it takes to wake a thread.
   */
  private static final int SPINS = 100;

  /** Where the next record goes, or went. */
  record Position(long segment, long offset) {}

  private final LogIdentity identity;
  private final StoreCondition condition;
  final ReentrantLock lock = new ReentrantLock();
  private final Condition written = lock.newCondition();
  private final LogBuffer buffer = new LogBuffer();
  private final SetRecord set = new SetRecord();
  private final Runnable makingRoom = this::writeBuffer;

  /** Told that {@link #prepare} has something to do. */
  private volatile Runnable segmentTaken = () -> {};

  /** Whether a thread writes; it alone may then change what follows but for the buffer. */
  private boolean writing;

  /** The segment to which a half of the buffer is being written without a force, or null. */
  private @Nullable LogSegment underway;

  /** Whether there was no room for that half. */
  private boolean refused;

  private LogSegment current;

  /** Whether the first block of the current segment is safe, by which recovery finds it. */
  private boolean isBeginningForced = true;

  /** The segments before the current one, and those that come after it. */
  private final LogSegments segments;

  /** Those before it that have bytes that were written and not forced. */
  private final List<LogSegment> unforced = new ArrayList<>();

  /** What the current segment has room for. */
  private final LogRoom room = new LogRoom();

  private long appended;
  private volatile long forced;
  private long appendedBytes;
  private volatile long forces;

  /**
   * Begins a log in a new segment, whose first block is safe when this returns.
   *
   * @param segments those before it, and those that have nothing to say
   * @param number of the new segment
   * @param sequence of the last record before it
   */
  Log(
      LogIdentity identity,
      StoreCondition condition,
      LogSegments segments,
      long number,
      long sequence,
      long checkpoint) {
    this.identity = identity;
    this.condition = condition;
    this.segments = segments;
    this.appended = sequence;
    this.forced = sequence;
    this.current = segments.take(identity.segmentBytes());
    begin(current, number, checkpoint);
    buffer.take();
    buffer.write(current.file);
    current.file.force();
  }

  // ---------------------------------------------------------------- append

  /**
   * Makes sure that a record of a thread that is alone fits, before anything that it tells of is
   * changed. Unless the record is larger than the buffer, appending it then can't fail.
   *
   * @throws PageFileException if there is no room for another segment, or writing fails
   */
  void ensureRoom(int recordBytes, long checkpoint) {
    if (identity.endsBlocks() || !room.has(recordBytes)) {
      makeRoom(() -> recordBytes, 0, checkpoint);
    }
  }

  /**
   * Makes sure that the records of all who have promised them fit, before this thread changes what
   * its own tells of. Appending it then can't fail.
   *
   * @param promised what {@link WriterGate#sum} has returned
   * @param more bytes of a record that was not promised
   * @return whether the buffer has room for so many; if not, this thread has to be alone
   * @throws PageFileException if there is no room for another segment, or writing fails
   */
  boolean ensureRoom(WriterGate gate, long promised, int more, long checkpoint) {
    return (!identity.endsBlocks() && room.has(WriterGate.bytes(promised) + more))
        || makeRoom(
            () -> LogRoom.needed(gate.sum(), identity.endsBlocks()) + more,
            LogRoom.MOST_NEEDED,
            checkpoint);
  }

  /**
   * Makes room unless there is enough.
   *
   * @param needed tells how many bytes
   * @param most bytes for which this makes room, if it is not 0
   */
  private boolean makeRoom(LongSupplier needed, long most, long checkpoint) {
    lock.lock();
    try {
      while (true) {
        room.hide();
        long bytes = needed.getAsLong();
        if (most > 0 && bytes > most) {
          return false;
        }
        // A force by another thread may end a block before the first record, too.
        long from = identity.endsBlocks() ? LogRecord.nextBlock(buffer.end()) : room.end();
        boolean isLast = room.isBeyond(from, bytes);
        if (!isLast && bytes <= buffer.room()) {
          return true;
        }
        if (writing) {
          written.awaitUninterruptibly(); // Others may have made room by then, or used it.
          continue;
        }
        boolean isChosen = room.isClosed(); // without regard to what is needed now
        if (isLast) {
          nextSegment(bytes, checkpoint);
        } else {
          writeBuffer();
        }
        if (!isChosen) {
          return true;
        }
      }
    } finally {
      room.note(buffer);
      lock.unlock();
    }
  }

  /**
   * Makes the next segment ready, and one to spare, if there is none; while a new one is made,
   * others append. For one thread at a time.
   *
   * @throws PageFileException if there is no room for them
   */
  void prepare() {
    for (long bytes = neededBytes(); bytes > 0; bytes = neededBytes()) {
      LogSegment made = segments.create(bytes);
      lock.lock();
      try {
        segments.addFree(made);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Lets an action know when a segment was taken, so that it can see to the next ones. */
  void whenSegmentTaken(Runnable action) {
    segmentTaken = action;
  }

  private long neededBytes() {
    return locked(() -> segments.neededBytes(appendedBytes));
  }

  /**
   * Appends a record, for which {@link #ensureRoom} was called, and returns its sequence number. It
   * is durable after {@link #await}.
   *
   * @param checkpoint the last one that is durable
   * @throws PageFileException if writing fails, which ends all changes, be it for want of room
   */
  long append(LogRecord record, long checkpoint) {
    takeLock();
    try {
      write(record, checkpoint);
      room.noteEnd(buffer);
      appendedBytes += record.logBytes();
      return ++appended;
    } finally {
      lock.unlock();
    }
  }

  private void takeLock() {
    for (int spins = 0; !lock.tryLock(); spins++) {
      if (spins == SPINS) {
        lock.lock();
        return;
      }
      Thread.onSpinWait();
    }
  }

  /** Returns up to which sequence number a record says that the log is forced. */
  private long told() {
    return identity.tellsForces() ? forced : appended;
  }

  private void write(LogRecord record, long checkpoint) {
    record.complete(
        identity.storeId(),
        current.number,
        buffer.end(),
        appended + 1,
        identity.epoch(),
        checkpoint,
        told());
    try {
      record.writeTo(buffer, makingRoom);
    } catch (PageFileException failed) {
      throw condition.noteFailure(failed); // Half of it is in the buffer.
    }
  }

  /**
   * Appends the record of one write of a long, as {@link #append} does.
   *
   * @param checkpoint the last one that is durable
   */
  long appendSet(int index, long key, long value, long checkpoint) {
    takeLock();
    try {
      set.place(identity.storeId(), current.number, buffer.end());
      buffer.add(set, appended + 1, identity.epoch(), checkpoint, told(), index, key, value);
      room.noteEnd(buffer);
      appendedBytes += SetRecord.BYTES;
      return ++appended;
    } finally {
      lock.unlock();
    }
  }

  /** Notes a change that no record tells of: it is durable with the checkpoint that follows. */
  long skip() {
    lock.lock();
    try {
      return ++appended;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Goes on in another segment, with room for some bytes. If the last record of this one was
   * refused before, in the one that it names, whatever room that has.
   */
  private void nextSegment(long bytes, long checkpoint) {
    if (!room.isClosed()) {
      segments.ensureReady(bytes, appendedBytes);
      segments.ensureSpare();
      if (buffer.room() < LogRecord.END_BYTES) {
        writeBuffer();
      }
      room.close();
      write(segments.endOf(), checkpoint);
    }
    writeBuffer();
    unforced.add(current);
    LogSegment next = segments.follow(current);
    begin(next, current.number + 1, checkpoint);
    current = next;
    isBeginningForced = false;
    segmentTaken.run();
  }

  private void begin(LogSegment segment, long number, long checkpoint) {
    segment.number = number;
    segment.recordHeaderBytes = LogRecord.HEADER_BYTES;
    buffer.begin();
    byte[] header =
        new LogSegment.Header(
                identity.storeId(),
                number,
                identity.epoch(),
                appended + 1,
                checkpoint,
                segment.bytes)
            .block();
    buffer.add(header, 0, header.length);
    room.begin(segment.bytes - LogSegment.bytesOfEnd(identity));
    room.note(buffer);
  }

  private void awaitWriter() {
    while (writing) {
      written.awaitUninterruptibly();
    }
  }

  /** Begins to write what is in the buffer, without a force. */
  private void writeBuffer() {
    awaitWriter();
    checkGood();
    finishWrite();
    try {
      buffer.take();
      underway = current;
      buffer.startWrite(current.file);
    } catch (RuntimeException failed) {
      throw noteFailure(failed);
    }
  }

  /** Waits for what {@link #writeBuffer} has begun; with the lock held, as that is rare. */
  private void finishWrite() {
    LogSegment segment = underway;
    if (segment == null) {
      return;
    }
    try {
      if (refused) {
        buffer.writeAgain(segment.file);
      } else {
        buffer.finishWrite(segment.file);
      }
      underway = null;
      refused = false;
    } catch (RuntimeException failed) {
      throw noteFailure(failed);
    }
  }

  /** Waits, as {@link #finishWrite} does, and tells whether there was room. */
  private boolean tryFinishWrite() {
    try {
      finishWrite();
      return true;
    } catch (PageFileException failed) {
      if (!refused) {
        throw failed;
      }
      return false;
    }
  }

  /** Notes that the half that is under way could not be written. */
  private PageFileException noteFailure(RuntimeException failed) {
    if (failed instanceof PageFileException full && SlotSpace.isFull(full)) {
      refused = true;
      return full;
    }
    underway = null;
    return condition.noteFailure(failed);
  }

  // ---------------------------------------------------------------- commit

  /** Returns the sequence number of the last record. */
  long appended() {
    return appended;
  }

  /** Returns the sequence number up to which records are durable. */
  long forced() {
    return forced;
  }

  /** Returns where the next record goes. */
  Position end() {
    return locked(() -> new Position(current.number, room.isClosed() ? room.end() : buffer.end()));
  }

  private <T> T locked(Supplier<T> read) {
    lock.lock();
    try {
      return read.get();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the bytes of all records appended. */
  long appendedBytes() {
    return appendedBytes;
  }

  /** Returns how often commits have waited for the device. */
  long forces() {
    return forces;
  }

  /**
   * Waits until a record is durable.
   *
   * @throws PageFileException if it may not be, because the device failed, or has no room; then it
   *     may be waited for again
   */
  void await(long sequence) {
    if (forced < sequence) {
      await(sequence, false);
    }
  }

  /**
   * Waits until a record is durable, and so is the segment into which the next one goes: then a
   * header may name that segment. A write that was refused may have begun the segment and appended
   * nothing.
   *
   * @throws PageFileException as {@link #await}
   */
  void awaitWithSegment(long sequence) {
    await(sequence, true);
  }

  private void await(long sequence, boolean withSegment) {
    lock.lock();
    try {
      while (forced < sequence || (withSegment && !isBeginningForced)) {
        checkGood();
        if (writing) {
          written.awaitUninterruptibly();
        } else {
          lead();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes and forces everything appended so far, releasing the lock meanwhile. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Changed with the lock held.
  private void lead() {
    finishWrite();
    long end = appended;
    if (identity.endsBlocks()) {
      buffer.endBlock();
    }
    buffer.take();
    List<LogSegment> toForce = new ArrayList<>(unforced);
    toForce.add(current);
    PageFile file = current.file;
    writing = true;
    RuntimeException failure = null;
    boolean isWritten = false;
    lock.unlock();
    try {
      buffer.write(file);
      isWritten = true;
      for (LogSegment segment : toForce) {
        segment.file.force();
      }
    } catch (RuntimeException failed) {
      failure = failed;
    } finally {
      lock.lock();
      writing = false;
      written.signalAll();
    }
    if (failure != null && !isWritten) {
      underway = current;
      throw noteFailure(failure);
    }
    if (failure != null) {
      throw condition.noteFailure(failure);
    }
    unforced.removeAll(toForce);
    isBeginningForced = true;
    forces++;
    forced = Math.max(forced, end);
  }

  /**
   * Writes a mark behind the last record, if all records are forced: damage to any of them is then
   * noticed, and not only damage to those before the last force. It is not forced, and the next
   * record is written over it.
   *
   * @param checkpoint the last one that is durable
   * @throws PageFileException if the device fails
   */
  void mark(long checkpoint) {
    lock.lock();
    try {
      long at = buffer.end();
      LogRecord mark = LogRecord.mark();
      boolean isForced = !writing && underway == null && isBeginningForced && forced == appended;
      if (!isForced || room.isBeyond(at, mark.logBytes())) {
        return;
      }
      mark.complete(
          identity.storeId(), current.number, at, appended, identity.epoch(), checkpoint, forced);
      current.file.write(buffer.withMark(mark));
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw condition.noteFailure(failed);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a checkpoint has made records durable. */
  void noteDurable(long sequence) {
    lock.lock();
    try {
      forced = Math.max(forced, sequence);
      written.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void checkGood() {
    PageFileException failure = condition.failure();
    if (failure != null) {
      throw new PageFileException(
          identity.store(), "can't be made durable: " + failure.getMessage(), failure);
    }
  }

  // ---------------------------------------------------------------- segments

  /**
   * Lets the segments before a given one be used again; the newest checkpoint needs none of them.
   */
  void trim(long firstNeeded) {
    List<LogSegment> surplus;
    lock.lock();
    try {
      awaitWriter();
      if (!tryFinishWrite()) {
        return; // The next checkpoint does this, when there is room.
      }
      unforced.removeAll(segments.release(firstNeeded));
      surplus = segments.removeSurplus();
    } finally {
      lock.unlock();
    }
    segments.delete(surplus);
  }

  /** Returns the segments that have records, the oldest first. */
  List<LogSegment> used() {
    return locked(() -> Stream.concat(segments.inUse().stream(), Stream.of(current)).toList());
  }

  /** Returns how many segments there are, those without contents included. */
  int segments() {
    return locked(() -> all().size());
  }

  /** Deletes all segments, none of which any checkpoint needs. */
  void delete() {
    lock.lock();
    try {
      awaitWriter();
      segments.delete(all());
    } finally {
      lock.unlock();
    }
  }

  private List<LogSegment> all() {
    List<LogSegment> all = segments.all();
    all.add(current);
    return all;
  }

  /** Closes all segments, and writes nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      awaitWriter();
      LogFiles.close(all());
      buffer.close();
    } finally {
      lock.unlock();
    }
  }
}
