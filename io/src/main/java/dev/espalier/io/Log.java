// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The end of a store's log, where records are appended and made durable.
 *
 * <p>Any number of threads may append records, which get their sequence numbers and their places by
 * one exchange (decision 77), and may wait until a record is durable: the first one writes and
 * forces everything that has been appended by then, and the others get that for free (group
 * commit).
 */
final class Log implements AutoCloseable {
  /* Overview
   *
   * One thread at a time writes: it has set `writing`. It waits for the device without the lock,
   * while others append. The segment that is written to changes only while nobody writes. Where
   * nobody waits for a force, what is full is handed to the device, and waited for later.
   *
   * A thread whose record is larger than the buffer waits without the lock, too, where another one
   * writes. Whoever gets the lock then finds half of a record, and leaves the end of the log alone.
   */

  /**
   * How often a thread tries to append before it waits for the lock: others hold that for a tenth
   * of the time that it takes to wake a thread, most of the time.
   */
  private static final int SPINS = 100;

  /** The most bytes that several writers may need together. */
  private static final long MOST_NEEDED = LogBuffer.BYTES - LogBuffer.BLOCK_BYTES;

  /** Where the next record goes, or went. */
  record Position(long segment, long offset) {}

  final ReentrantLock lock = new ReentrantLock();
  private final Condition written = lock.newCondition();
  private final LogIdentity identity;

  /** Where records go, with the lock held. */
  final LogEnd end;

  private final Runnable makingRoom;

  /** Told that {@link #prepare} has something to do. */
  private volatile Runnable segmentTaken = () -> {};

  /** Whether a thread writes and forces, without the lock. */
  private boolean writing;

  private volatile long forced;
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
    this.end = new LogEnd(identity, condition, segments, number, sequence, checkpoint);
    this.forced = sequence;
    this.makingRoom =
        () -> {
          awaitWriter();
          end.startWrite();
        };
  }

  // ---------------------------------------------------------------- append

  /**
   * Makes sure that a record of a thread that is alone fits, before anything that it tells of is
   * changed. Unless the record is larger than the buffer, appending it then can't fail.
   *
   * @throws PageFileException if there is no room for another segment, or writing fails
   */
  void ensureRoom(int recordBytes, long checkpoint) {
    if (identity.endsBlocks() || !end.has(recordBytes)) {
      makeRoom(() -> recordBytes, 0, checkpoint);
    }
  }

  /**
   * Makes sure that the records of all who have promised them fit, before this thread changes what
   * its own tells of. Appending it then can't fail.
   *
   * @param promised what {@link WriterGate#sum} has returned
   * @param more bytes of a record that was not promised
   * @return whether the buffer has room for so many; if not, some have to wait
   * @throws PageFileException if there is no room for another segment, or writing fails
   */
  boolean ensureRoom(WriterGate gate, long promised, int more, long checkpoint) {
    return (!identity.endsBlocks() && end.has(WriterGate.bytes(promised) + more))
        || makeRoom(
            () -> needed(gate.sum(), identity.endsBlocks()) + more, MOST_NEEDED, checkpoint);
  }

  /** Tells whether the buffer has room for promised records, once what it has is written. */
  boolean mayNeed(long promised) {
    return needed(promised, identity.endsBlocks()) <= MOST_NEEDED;
  }

  /**
   * Returns how many bytes promised records take at most.
   *
   * @param endsBlocks whether a force ends a block, as may happen before each record but one
   */
  private static long needed(long promised, boolean endsBlocks) {
    int ends = endsBlocks ? Math.max(0, WriterGate.writers(promised) - 1) : 0;
    return WriterGate.bytes(promised) + (long) ends * LogBuffer.BLOCK_BYTES;
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
        end.hold();
        long bytes = needed.getAsLong();
        if (most > 0 && bytes > most) {
          return false;
        }
        boolean isLast = end.isBeyondSegment(bytes);
        if (!isLast && end.isInBuffer(bytes)) {
          return true;
        }
        if (isBusy()) {
          written.awaitUninterruptibly(); // Others may have made room by then, or used it.
          continue;
        }
        if (isLast) {
          end.nextSegment(bytes, checkpoint, forced);
          segmentTaken.run();
        } else {
          end.startWrite();
        }
        return true;
      }
    } finally {
      end.show();
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
      LogSegment made = end.segments.create(bytes);
      lock.lock();
      try {
        end.segments.addFree(made);
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
    return alone(() -> end.segments.neededBytes(end.appendedBytes()));
  }

  /**
   * Appends a record, for which {@link #ensureRoom} was called, and returns its sequence number. It
   * is durable after {@link #await}.
   *
   * @param checkpoint the last one that is durable
   * @throws PageFileException if writing fails, which ends all changes, be it for want of room
   */
  long append(LogRecord record, long checkpoint) {
    for (int tries = 0; tries < SPINS && end.has(record.logBytes()); tries++) {
      long sequence = end.tryAppend(record, checkpoint, forced);
      if (sequence != LogPlaces.NONE) {
        return sequence;
      }
      Thread.onSpinWait();
    }
    return alone(
        () -> {
          try {
            return end.append(record, checkpoint, forced, makingRoom);
          } finally {
            written.signalAll(); // To those that found half of it.
          }
        });
  }

  /**
   * Appends the record of one write of a long, as {@link #append} does.
   *
   * @param checkpoint the last one that is durable
   */
  long appendSet(int index, long key, long value, long checkpoint) {
    for (int tries = 0; tries < SPINS; tries++) {
      long sequence = end.tryAppendSet(index, key, value, checkpoint, forced);
      if (sequence != LogPlaces.NONE) {
        return sequence;
      }
      Thread.onSpinWait();
    }
    return alone(() -> end.appendSet(index, key, value, checkpoint, forced));
  }

  /** Does something with the end of the log, while no other thread appends. */
  private <T> T alone(Supplier<T> action) {
    lock.lock();
    try {
      end.hold();
      return action.get();
    } finally {
      end.show();
      lock.unlock();
    }
  }

  /** Notes a change that no record tells of: it is durable with the checkpoint that follows. */
  long skip() {
    return alone(end::skip);
  }

  /** Tells whether a thread that has given the lock back is writing or appending. */
  private boolean isBusy() {
    return writing || end.isInRecord();
  }

  private void awaitWriter() {
    while (writing) {
      written.awaitUninterruptibly();
    }
  }

  // ---------------------------------------------------------------- commit

  /** Returns the sequence number of the last record. */
  long appended() {
    return alone(end::appended);
  }

  /** Returns the sequence number up to which records are durable. */
  long forced() {
    return forced;
  }

  /** Returns where the next record goes. */
  Position end() {
    return alone(end::position);
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
    return alone(end::appendedBytes);
  }

  /** As {@link #appended}, but for what threads are about to append; waits for nobody. */
  long appendedAbout() {
    return end.appendedAbout();
  }

  /** As {@link #appendedBytes}, but for what threads are about to append; waits for nobody. */
  long appendedBytesAbout() {
    return end.appendedBytesAbout();
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
      while (forced < sequence || (withSegment && !end.isBeginningForced())) {
        end.checkGood();
        if (isBusy()) {
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
    LogEnd.Force force;
    end.hold();
    try {
      force = end.beginForce();
    } finally {
      end.show();
    }
    writing = true;
    lock.unlock();
    try {
      force.run();
    } finally {
      lock.lock();
      writing = false;
      written.signalAll();
    }
    long last = force.end();
    forces++;
    forced = Math.max(forced, last);
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
      end.hold();
      if (!writing && end.isForced(forced)) {
        end.mark(checkpoint, forced);
      }
    } finally {
      end.show();
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

  // ---------------------------------------------------------------- segments

  /**
   * Lets the segments before a given one be used again; the newest checkpoint needs none of them.
   */
  void trim(long firstNeeded) {
    List<LogSegment> surplus;
    lock.lock();
    try {
      awaitWriter();
      if (!end.tryFinishWrite()) {
        return; // The next checkpoint does this, when there is room.
      }
      surplus = end.release(firstNeeded);
    } finally {
      lock.unlock();
    }
    end.segments.delete(surplus);
  }

  /** Returns the segments that have records, the oldest first. */
  List<LogSegment> used() {
    return locked(
        () -> Stream.concat(end.segments.inUse().stream(), Stream.of(end.current())).toList());
  }

  /** Returns how many segments there are, those without contents included. */
  int segments() {
    return locked(() -> end.allSegments().size());
  }

  /** Deletes all segments, none of which any checkpoint needs. */
  void delete() {
    lock.lock();
    try {
      awaitWriter();
      end.segments.delete(end.allSegments());
    } finally {
      lock.unlock();
    }
  }

  /** Closes all segments, and writes nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      awaitWriter();
      end.hold();
      end.close();
    } finally {
      lock.unlock();
    }
  }
}
