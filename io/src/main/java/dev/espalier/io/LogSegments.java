// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log around the one that is written to: those before it, which a recovery may
 * need, and those that come after it, which were made and forced in advance, so that a commit never
 * waits for that. All methods but {@link #create} are for one thread at a time.
 *
 * <pre>
 *   in use | current | ready | free ...
 * </pre>
 */
final class LogSegments {
  /** Segments without contents that are kept beside the one that is ready. */
  private static final int MOST_FREE = 1;

  /** A new segment has this part of what was written so far, ... */
  private static final int SEGMENTS = 8;

  /** ... and at most this many bytes. */
  private static final long MOST_BYTES = 64L << 20;

  private final LogIdentity identity;
  private final AtomicInteger nextFile;

  /** Segments before the current one, the oldest first. */
  private final Deque<LogSegment> inUse;

  private @Nullable LogSegment ready;
  private final Deque<LogSegment> free;

  /**
   * Takes over what was found.
   *
   * @param old segments that have records, the oldest first
   * @param unused segments that have nothing to say
   * @param nextFile number of the next file
   */
  LogSegments(LogIdentity identity, List<LogSegment> old, List<LogSegment> unused, int nextFile) {
    this.identity = identity;
    this.inUse = new ArrayDeque<>(old);
    this.free = new ArrayDeque<>(unused);
    this.nextFile = new AtomicInteger(nextFile);
  }

  // ---------------------------------------------------------------- make

  /** Returns a segment of at least a given number of bytes: one that is free, or a new one. */
  LogSegment take(long bytes) {
    for (LogSegment segment : free) {
      if (segment.bytes >= bytes) {
        free.remove(segment);
        return segment;
      }
    }
    return create(bytes);
  }

  /** Makes a segment; other threads may go on meanwhile. */
  LogSegment create(long bytes) {
    long blocks = Math.ceilDiv(bytes, LogBuffer.BLOCK_BYTES);
    Path path = LogFiles.path(identity.store(), nextFile.getAndIncrement());
    return LogSegment.create(identity.files(), path, blocks * LogBuffer.BLOCK_BYTES);
  }

  /**
   * Returns the size of the segment that has to be made so that there is one ready and one to
   * spare; 0 if there are enough.
   */
  long neededBytes(long appendedBytes) {
    readyOne();
    return ready == null || free.isEmpty() ? preferredBytes(appendedBytes) : 0;
  }

  /** Returns how large a new segment is to be: the more is written, the larger. */
  private long preferredBytes(long appendedBytes) {
    return Math.clamp(
        appendedBytes / SEGMENTS,
        identity.segmentBytes(),
        Math.max(identity.segmentBytes(), MOST_BYTES));
  }

  private void readyOne() {
    if (ready == null) {
      ready = free.pollFirst();
    }
  }

  /**
   * Sees to it that the segment that comes next has room for a record.
   *
   * @throws PageFileException if there is no room for a larger one; all is as before
   */
  void ensureReady(long recordBytes, long appendedBytes) {
    long bytes = LogSegment.HEADER_BYTES + recordBytes + LogSegment.bytesOfEnd(identity);
    if (ready != null && ready.bytes >= bytes) {
      return;
    }
    LogSegment made = take(Math.max(bytes, preferredBytes(appendedBytes)));
    if (ready != null) {
      free.addLast(ready);
    }
    ready = made;
  }

  /**
   * Makes sure that there is a segment that recovery can begin without any room on the device,
   * while it still needs all those that are in use.
   */
  void ensureSpare() {
    if (free.isEmpty()) {
      free.addLast(take(identity.segmentBytes()));
    }
  }

  // ---------------------------------------------------------------- use

  /** Returns the last record of a segment, which names the one that was made ready. */
  LogRecord endOf() {
    LogSegment next = Objects.requireNonNull(ready);
    return LogRecord.end(LogFiles.number(identity.store(), next.path()), next.bytes);
  }

  /** Returns the segment that was made ready, to be written after another, which is full. */
  LogSegment follow(LogSegment full) {
    LogSegment next = Objects.requireNonNull(ready);
    inUse.addLast(full);
    ready = free.pollFirst();
    return next;
  }

  /** Adds a segment that can be used. */
  void addFree(LogSegment segment) {
    free.addLast(segment);
  }

  /** Lets the segments before one be used again, and returns them. */
  List<LogSegment> release(long firstNeeded) {
    List<LogSegment> released = new ArrayList<>();
    while (!inUse.isEmpty() && inUse.getFirst().number < firstNeeded) {
      released.add(inUse.removeFirst());
    }
    free.addAll(released);
    readyOne();
    return released;
  }

  /** Removes and returns the segments beyond those that are kept for use. */
  List<LogSegment> removeSurplus() {
    List<LogSegment> surplus = new ArrayList<>();
    while (free.size() > MOST_FREE) {
      surplus.add(free.removeLast());
    }
    return surplus;
  }

  /** Returns the segments that have records, the oldest first, but for the current one. */
  List<LogSegment> inUse() {
    return List.copyOf(inUse);
  }

  /** Returns all segments but for the current one. */
  List<LogSegment> all() {
    List<LogSegment> all = new ArrayList<>(inUse);
    all.addAll(free);
    if (ready != null) {
      all.add(ready);
    }
    return all;
  }

  /** Closes segments and deletes their files, all of them whatever becomes of one. */
  void delete(List<LogSegment> segments) {
    List<Runnable> steps = new ArrayList<>();
    for (LogSegment segment : segments) {
      steps.add(segment.file::close);
      steps.add(() -> identity.files().delete(segment.path()));
    }
    ForEach.all(steps, Runnable::run);
  }
}
