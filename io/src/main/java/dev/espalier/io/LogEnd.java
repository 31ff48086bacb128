// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a log: the segment that is written to, and the buffer with what it has not yet got.
 *
 * <p>For one thread at a time after {@link #hold}, which is for {@link Log} to see to. The methods
 * that say so are for any number of threads, as are {@link #has} and those that try to append.
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

  /** The places of records in the buffer. */
  final LogPlaces places = new LogPlaces();

  /** A record for each thread that fills a place. */
  private final SetRecord[] sets = new SetRecord[places.fillers()];

  /** The segments before the current one, and those that come after it. */
  final LogSegments segments;

  /** Those before it that have bytes that were written and not forced. */
  private final List<LogSegment> unforced = new ArrayList<>();

  private LogSegment current;

  /** Bytes for records in the current segment, but for its last one. */
  private long recordBytes;

  /** Whether the first block of the current segment is safe, by which recovery finds it. */
  private boolean isBeginningForced = true;

  /** The segment to which a half of the buffer is being written without a force, or null. */
  private @Nullable LogSegment underway;

  /** Whether there was no room for that half. */
  private boolean refused;

  /** Whether the buffer has the beginning of a record that is larger, and not yet its end. */
  private boolean isInRecord;

  /** Whether an error came in the middle, and left unknown what the buffer and the device have. */
  private boolean isUnknown;

  /** Why nothing more can be written or forced, null if it can. */
  private @Nullable PageFileException failure;

  /** Whether a force was begun, and its end was not noted yet. */
  private boolean isForcing;

  // These and where the buffer is filled are without what was taken since the places were opened.
  private long appended;
  private long appendedBytes;

  /** Bytes that were left when the places were opened. */
  private int leftThen;

  /**
   * Begins in a new segment, whose first block is safe when this returns.
   *
   * @param segments those before it, and those that have nothing to say
   * @param number of the new segment
   * @param sequence of the last record before it
   * @throws PageFileException if there is no room for it, or the device fails; it is closed then
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
    Arrays.setAll(sets, _ -> new SetRecord());
    LogSegment first = null;
    try {
      first = segments.take(identity.segmentBytes());
      begin(first, number, checkpoint);
      buffer.take();
      buffer.write(first.file);
      first.file.force();
    } catch (RuntimeException | Error failed) {
      abandon(first);
      throw failed;
    }
    this.current = first;
    show();
  }

  /** Lets go of what the beginning, which has failed, has taken. */
  private void abandon(@Nullable LogSegment first) {
    try {
      if (first != null) {
        first.file.close();
      }
    } finally {
      buffer.close();
    }
  }

  /** Returns the sequence number of the last record. */
  long appended() {
    return appended;
  }

  /** Returns the bytes of all records appended. */
  long appendedBytes() {
    return appendedBytes;
  }

  /** Returns about how many {@link #appended} there are, at any time, to any thread. */
  long appendedAbout() {
    return appended + (places.areOpen() ? LogPlaces.records(places.taken()) : 0);
  }

  /** Returns about how many {@link #appendedBytes} there are, at any time, to any thread. */
  long appendedBytesAbout() {
    return appendedBytes + (places.areOpen() ? leftThen - LogPlaces.left(places.taken()) : 0);
  }

  /** Returns the segment that is written to. */
  LogSegment current() {
    return current;
  }

  /** Returns where the next record goes, or went. */
  Log.Position position() {
    return new Log.Position(current.number, buffer.end());
  }

  /** Tells whether all records are forced, and nothing is being written or appended. */
  boolean isForced(long forced) {
    return underway == null && !isInRecord && isBeginningForced && forced == appended;
  }

  /**
   * Tells whether a thread is in the middle of a record, and has given the lock back until there is
   * room for the rest. Nothing else may be written or appended before its end.
   */
  boolean isInRecord() {
    return isInRecord;
  }

  /** Tells whether the first block of the current segment is safe. */
  boolean isBeginningForced() {
    return isBeginningForced;
  }

  // ---------------------------------------------------------------- places

  /** Lets threads append by themselves, unless one is in the middle of a record. */
  void show() {
    if (!places.areOpen() && !isInRecord) {
      long left = Math.min(recordBytes - buffer.end(), buffer.room());
      leftThen = (int) Math.max(0, left);
      places.open(leftThen);
    }
  }

  /** Lets no thread append by itself, and waits for those that do. */
  void hold() {
    if (places.areOpen()) {
      places.close();
      long taken = places.taken();
      int bytes = leftThen - LogPlaces.left(taken);
      buffer.skip(bytes);
      appended += LogPlaces.records(taken);
      appendedBytes += bytes;
    }
  }

  /** Tells whether there is room for some bytes. */
  boolean has(long bytes) {
    return places.has(bytes);
  }

  /**
   * Appends the record of one write of a long, as {@link #appendSet} does.
   *
   * @return its sequence number, or {@link LogPlaces#NONE}
   */
  long tryAppendSet(int index, long key, long value, long checkpoint, long forced) {
    int filler = places.enter();
    if (filler == LogPlaces.OUT) {
      return LogPlaces.NONE;
    }
    try {
      long taken = places.take(SetRecord.BYTES);
      if (taken == LogPlaces.NONE) {
        return LogPlaces.NONE;
      }
      long sequence = appended + LogPlaces.records(taken) + 1;
      int at = leftThen - LogPlaces.left(taken);
      try {
        fill(sets[filler], at, sequence, index, key, value, checkpoint, forced);
      } catch (Throwable thrown) {
        condition.noteHalfway(thrown); // What is in its place is no record.
        throw thrown;
      }
      return sequence;
    } finally {
      places.leave(filler);
    }
  }

  /**
   * Appends a record, as {@link #append} does.
   *
   * @return its sequence number, or {@link LogPlaces#NONE}
   */
  long tryAppend(LogRecord record, long checkpoint, long forced) {
    int filler = places.enter();
    if (filler == LogPlaces.OUT) {
      return LogPlaces.NONE;
    }
    try {
      long taken = places.take(record.logBytes());
      if (taken == LogPlaces.NONE) {
        return LogPlaces.NONE;
      }
      long sequence = appended + LogPlaces.records(taken) + 1;
      int at = leftThen - LogPlaces.left(taken);
      try {
        complete(record, at, sequence, checkpoint, forced);
        buffer.fill(at, record);
      } catch (Throwable thrown) {
        condition.noteHalfway(thrown); // What is in its place is no record.
        throw thrown;
      }
      return sequence;
    } finally {
      places.leave(filler);
    }
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
    appendedBytes += record.logBytes();
    return ++appended;
  }

  private void write(LogRecord record, long checkpoint, long forced, Runnable makingRoom) {
    complete(record, 0, appended + 1, checkpoint, forced);
    isInRecord = true;
    try {
      record.writeTo(buffer, makingRoom);
    } catch (RuntimeException failed) {
      throw fail(failed); // Half of it is in the buffer.
    } catch (Error failed) {
      throw noteError(failed);
    } finally {
      isInRecord = false;
    }
  }

  /** Completes a record that begins so many bytes behind those that the buffer has. */
  private void complete(LogRecord record, int at, long sequence, long checkpoint, long forced) {
    record.complete(
        identity.storeId(),
        current.number,
        buffer.end() + at,
        sequence,
        identity.epoch(),
        checkpoint,
        told(sequence, forced));
  }

  /** Appends the record of one write of a long, as {@link #append} does. */
  long appendSet(int index, long key, long value, long checkpoint, long forced) {
    fill(sets[0], 0, appended + 1, index, key, value, checkpoint, forced);
    buffer.skip(SetRecord.BYTES);
    appendedBytes += SetRecord.BYTES;
    return ++appended;
  }

  private void fill(
      SetRecord set,
      int at,
      long sequence,
      int index,
      long key,
      long value,
      long checkpoint,
      long forced) {
    set.place(identity.storeId(), current.number, buffer.end() + at);
    long told = told(sequence, forced);
    buffer.fill(at, set, sequence, identity.epoch(), checkpoint, told, index, key, value);
  }

  /** Returns up to which sequence number a record says that the log is forced. */
  private long told(long sequence, long forced) {
    return identity.tellsForces() ? forced : sequence - 1;
  }

  /** Gives a sequence number to a change that no record tells of. */
  long skip() {
    return ++appended;
  }

  // ---------------------------------------------------------------- room

  /** Tells whether some bytes, after a force that may end a block, are beyond the segment. */
  boolean isBeyondSegment(long bytes) {
    long from = identity.endsBlocks() ? LogRecord.nextBlock(buffer.end()) : buffer.end();
    return from + bytes > recordBytes;
  }

  /** Tells whether the buffer has room for some bytes. */
  boolean isInBuffer(long bytes) {
    return bytes <= buffer.room();
  }

  /**
   * Goes on in another segment, with room for some bytes.
   *
   * @throws PageFileException if there is no room for that; nothing has changed then, and what was
   *     promised still fits into this one
   */
  void nextSegment(long bytes, long checkpoint, long forced) {
    segments.ensureReady(bytes, appendedBytes);
    segments.ensureSpare();
    if (buffer.room() < LogRecord.END_BYTES) {
      startWrite();
    }
    finishWrite();
    try {
      goOnInReady(checkpoint, forced);
    } catch (Error failed) {
      throw noteError(failed);
    }
  }

  private void goOnInReady(long checkpoint, long forced) {
    write(segments.endOf(), checkpoint, forced, this::startWrite);
    try {
      startWrite();
    } catch (PageFileException failed) {
      if (!refused) {
        throw failed;
      } // Else it is written again later, as nothing more can be appended behind the last record.
    }
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
    recordBytes = segment.bytes - LogSegment.bytesOfEnd(identity);
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
    } catch (Error failed) {
      throw noteError(failed);
    }
  }

  /** Waits for what {@link #startWrite} has begun. */
  void finishWrite() {
    isUnknown |= isForcing;
    if (isUnknown) {
      checkGood();
    }
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
    } catch (Error failed) {
      throw noteError(failed);
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
    return fail(failed);
  }

  /** Ends the log, and all changes of the store; returns why. */
  private PageFileException fail(Throwable failed) {
    PageFileException reason = condition.noteFailure(failed);
    if (failure == null) {
      failure = reason;
    }
    return reason;
  }

  /** Notes that an error, be it that the stack is full, came in the middle, and returns it. */
  private Error noteError(Error failed) {
    isUnknown = true; // First, as what follows may fail as well.
    fail(failed);
    return failed;
  }

  /** Throws why nothing can be made durable, if so. What befalls the pages is no reason. */
  void checkGood() {
    if (isUnknown && failure == null) {
      fail(new IllegalStateException("an error came in the middle"));
    }
    PageFileException reason = failure;
    if (reason != null) {
      throw new PageFileException(
          identity.store(), "can't be made durable: " + reason.getMessage(), reason);
    }
  }

  // ---------------------------------------------------------------- force

  /** Writes and forces everything that was appended before it was made. */
  final class Force {
    private final long last = appended;
    private final List<LogSegment> toForce = new ArrayList<>(unforced);
    private final LogSegment segment = current;
    private boolean isWritten;
    private @Nullable RuntimeException whyNot;

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
        whyNot = failed;
      } catch (Error failed) {
        throw noteError(failed);
      }
    }

    /**
     * Notes what has become of it, and returns the sequence number of its last record.
     *
     * @throws PageFileException if it has failed
     */
    long end() {
      isForcing = false;
      RuntimeException failed = whyNot;
      if (failed != null && !isWritten) {
        underway = segment;
        throw noteFailure(failed);
      }
      if (failed != null) {
        throw fail(failed);
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
    isForcing = true;
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
    if (at + mark.logBytes() > recordBytes) {
      return;
    }
    mark.complete(
        identity.storeId(), current.number, at, appended, identity.epoch(), checkpoint, forced);
    try {
      current.file.write(buffer.withMark(mark));
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw fail(failed);
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
    try {
      LogFiles.close(allSegments());
    } finally {
      buffer.close();
    }
  }
}
