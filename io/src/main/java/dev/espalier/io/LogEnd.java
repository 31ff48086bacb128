// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a log: the segment that is written to, and the buffer with what it has not yet got.
 * For one thread at a time, which is for {@link Log} to see to; only {@link LogRoom} can be looked
 * at by any.
 */
final class LogEnd implements AutoCloseable {
  /* Overview
   *
   * The buffer has two halves. One that is full is handed to the device, and waited for when the
   * other one is full as well, or is to be forced.
   *
   *  segments:  in use, written | in use, unforced | current | ready | free ...
   *
   * A half that finds no room on the device, as may happen on file systems that never write in
   * place, stays under way, and is written again before anything else is.
   */

  private final LogIdentity identity;
  private final StoreCondition condition;
  private final LogBuffer buffer = new LogBuffer();
  private final SetRecord set = new SetRecord();

  /** The segments before the current one, and those that come after it. */
  final LogSegments segments;

  /** Those before it that have bytes that were written and not forced. */
  private final List<LogSegment> unforced = new ArrayList<>();

  /** What the current segment has room for. */
  final LogRoom room = new LogRoom();

  private LogSegment current;

  /** Whether the first block of the current segment is safe, by which recovery finds it. */
  private boolean isBeginningForced = true;

  /** The segment to which a half of the buffer is being written without a force, or null. */
  private @Nullable LogSegment underway;

  /** Whether there was no room for that half. */
  private boolean refused;

  private long appended;
  private long appendedBytes;

  /**
   * Begins in a new segment, whose first block is safe when this returns.
   *
   * @param segments those before it, and those that have nothing to say
   * @param number of the new segment
   * @param sequence of the last record before it
   */
  LogEnd(
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
    this.current = segments.take(identity.segmentBytes());
    begin(current, number, checkpoint);
    buffer.take();
    buffer.write(current.file);
    current.file.force();
  }

  /** Returns the sequence number of the last record. */
  long appended() {
    return appended;
  }

  /** Returns the bytes of all records appended. */
  long appendedBytes() {
    return appendedBytes;
  }

  /** Returns the segment that is written to. */
  LogSegment current() {
    return current;
  }

  /** Returns where the next record goes, or went. */
  Log.Position position() {
    return new Log.Position(current.number, room.isClosed() ? room.end() : buffer.end());
  }

  /** Tells whether everything is forced that was written to the current segment. */
  boolean isForced(long forced) {
    return underway == null && isBeginningForced && forced == appended;
  }

  /** Tells whether the first block of the current segment is safe. */
  boolean isBeginningForced() {
    return isBeginningForced;
  }

  // ---------------------------------------------------------------- append

  /**
   * Appends a record, and returns its sequence number.
   *
   * @param checkpoint the last one that is durable
   * @param forced the sequence number up to which the log is forced
   * @param makingRoom makes room in the buffer, for a record that is larger
   */
  long append(LogRecord record, long checkpoint, long forced, Runnable makingRoom) {
    write(record, checkpoint, forced, makingRoom);
    room.noteEnd(buffer);
    appendedBytes += record.logBytes();
    return ++appended;
  }

  private void write(LogRecord record, long checkpoint, long forced, Runnable makingRoom) {
    record.complete(
        identity.storeId(),
        current.number,
        buffer.end(),
        appended + 1,
        identity.epoch(),
        checkpoint,
        told(forced));
    try {
      record.writeTo(buffer, makingRoom);
    } catch (PageFileException failed) {
      throw condition.noteFailure(failed); // Half of it is in the buffer.
    }
  }

  /** Appends the record of one write of a long, as {@link #append} does. */
  long appendSet(int index, long key, long value, long checkpoint, long forced) {
    set.place(identity.storeId(), current.number, buffer.end());
    buffer.add(set, appended + 1, identity.epoch(), checkpoint, told(forced), index, key, value);
    room.noteEnd(buffer);
    appendedBytes += SetRecord.BYTES;
    return ++appended;
  }

  /** Returns up to which sequence number a record says that the log is forced. */
  private long told(long forced) {
    return identity.tellsForces() ? forced : appended;
  }

  /** Gives a sequence number to a change that no record tells of. */
  long skip() {
    return ++appended;
  }

  // ---------------------------------------------------------------- room

  /** Returns where the next record may begin; a force may end a block before it. */
  long nextFrom() {
    return identity.endsBlocks() ? LogRecord.nextBlock(buffer.end()) : room.end();
  }

  /** Tells whether the buffer has room for some bytes. */
  boolean isInBuffer(long bytes) {
    return bytes <= buffer.room();
  }

  /** Lets all see what room there is. */
  void showRoom() {
    room.note(buffer);
  }

  /**
   * Goes on in another segment, with room for some bytes. If the last record of this one was
   * refused before, in the one that it names, whatever room that has.
   */
  void nextSegment(long bytes, long checkpoint, long forced) {
    if (!room.isClosed()) {
      segments.ensureReady(bytes, appendedBytes);
      segments.ensureSpare();
      if (buffer.room() < LogRecord.END_BYTES) {
        startWrite();
      }
      room.close();
      write(segments.endOf(), checkpoint, forced, this::startWrite);
    }
    startWrite();
    unforced.add(current);
    LogSegment next = segments.follow(current);
    begin(next, current.number + 1, checkpoint);
    current = next;
    isBeginningForced = false;
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

  // ---------------------------------------------------------------- write

  /** Begins to write what is in the buffer, without a force. */
  void startWrite() {
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

  /** Waits for what {@link #startWrite} has begun. */
  void finishWrite() {
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
  boolean tryFinishWrite() {
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

  /** Throws why nothing can be made durable, if so. */
  void checkGood() {
    PageFileException failure = condition.failure();
    if (failure != null) {
      throw new PageFileException(
          identity.store(), "can't be made durable: " + failure.getMessage(), failure);
    }
  }

  // ---------------------------------------------------------------- force

  /** Writes and forces everything that was appended before it was made. */
  final class Force {
    private final long last = appended;
    private final List<LogSegment> toForce = new ArrayList<>(unforced);
    private final LogSegment segment = current;
    private boolean isWritten;
    private @Nullable RuntimeException failure;

    private Force() {
      toForce.add(segment);
    }

    /** Does it; meanwhile others may append. */
    void run() {
      try {
        buffer.write(segment.file);
        isWritten = true;
        for (LogSegment one : toForce) {
          one.file.force();
        }
      } catch (RuntimeException failed) {
        failure = failed;
      }
    }

    /**
     * Notes what has become of it, and returns the sequence number of its last record.
     *
     * @throws PageFileException if it has failed
     */
    long end() {
      RuntimeException failed = failure;
      if (failed != null && !isWritten) {
        underway = segment;
        throw noteFailure(failed);
      }
      if (failed != null) {
        throw condition.noteFailure(failed);
      }
      unforced.removeAll(toForce);
      isBeginningForced = true;
      return last;
    }
  }

  /** Begins a force; until its end nothing else is written. */
  Force beginForce() {
    finishWrite();
    Force force = new Force();
    if (identity.endsBlocks()) {
      buffer.endBlock();
    }
    buffer.take();
    return force;
  }

  /**
   * Writes a mark behind the last record, all of which are forced, and does not force it.
   *
   * @throws PageFileException if the device fails
   */
  void mark(long checkpoint, long forced) {
    long at = buffer.end();
    LogRecord mark = LogRecord.mark();
    if (room.isBeyond(at, mark.logBytes())) {
      return;
    }
    mark.complete(
        identity.storeId(), current.number, at, appended, identity.epoch(), checkpoint, forced);
    try {
      current.file.write(buffer.withMark(mark));
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw condition.noteFailure(failed);
      }
    }
  }

  // ---------------------------------------------------------------- segments

  /** Lets the segments before a given one be used again; returns those that are not needed. */
  List<LogSegment> release(long firstNeeded) {
    unforced.removeAll(segments.release(firstNeeded));
    return segments.removeSurplus();
  }

  /** Returns all segments. */
  List<LogSegment> allSegments() {
    List<LogSegment> all = segments.all();
    all.add(current);
    return all;
  }

  /** Closes all segments, and writes nothing. */
  @Override
  public void close() {
    LogFiles.close(allSegments());
    buffer.close();
  }
}
