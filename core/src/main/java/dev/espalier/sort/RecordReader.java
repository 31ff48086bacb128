// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Reads sorted records one after the other: from memory, or from a file, a buffer at a time. */
final class RecordReader {
  private final @Nullable SpillFile file;
  private final Arena arena;

  /** Decides between records of the same key: the one of the lesser order comes first. */
  private final int order;

  private MemorySegment memory;

  /** Bytes of records in {@code memory}. */
  private long end;

  private long position;
  private long unread;
  private long at;
  private long following;
  private long head;

  private RecordReader(
      @Nullable SpillFile file, Run run, int order, MemorySegment memory, Arena arena) {
    this.file = file;
    this.position = run.position();
    this.unread = run.bytes();
    this.order = order;
    this.memory = memory;
    this.arena = arena;
  }

  /**
   * A run in a file.
   *
   * @param position of its first byte
   * @param bytes of its records
   */
  record Run(long position, long bytes) {}

  /** Reads records that fill a piece of memory. */
  static RecordReader ofMemory(MemorySegment piece, int order) {
    RecordReader reader = new RecordReader(null, new Run(0, 0), order, piece, Arena.global());
    reader.end = piece.byteSize();
    return reader;
  }

  /**
   * Reads a run.
   *
   * @param bufferBytes read at once; more if a record is longer
   * @param arena of the buffer
   */
  static RecordReader ofFile(SpillFile file, Run run, int order, long bufferBytes, Arena arena) {
    return new RecordReader(file, run, order, arena.allocate(bufferBytes, Long.BYTES), arena);
  }

  /** Moves to the next record; the first call moves to the first one. Returns false at the end. */
  boolean next() {
    at = following;
    if (unread > 0 && !isWhole()) {
      refill();
    }
    if (at == end) {
      return false;
    }
    following = at + Records.bytes(memory, at);
    head = Records.head(memory, at);
    return true;
  }

  private boolean isWhole() {
    return at + Records.HEADER <= end && at + Records.bytes(memory, at) <= end;
  }

  private void refill() {
    long left = end - at;
    MemorySegment.copy(memory, at, memory, 0, left);
    at = 0;
    fill(left);
    long needed = Records.bytes(memory, 0);
    if (needed > memory.byteSize()) {
      MemorySegment larger = arena.allocate(needed, Long.BYTES);
      MemorySegment.copy(memory, 0, larger, 0, end);
      memory = larger;
      fill(end);
    }
  }

  /** Continues reading, into the buffer behind its first {@code kept} bytes. */
  private void fill(long kept) {
    long bytes = Math.min(unread, memory.byteSize() - kept);
    if (file != null) {
      file.read(position, memory.asSlice(kept, bytes));
    }
    position += bytes;
    unread -= bytes;
    end = kept + bytes;
  }

  /** Returns the memory that holds the record, at {@link #at}, until the next move. */
  MemorySegment memory() {
    return memory;
  }

  long at() {
    return at;
  }

  /** Tells whether this reader's record comes before that of another. */
  boolean isBefore(RecordReader other) {
    int heads = Long.compare(head, other.head);
    if (heads != 0) {
      return heads < 0;
    }
    int keys = Records.compareKeys(memory, at, other.memory, other.at);
    return keys < 0 || (keys == 0 && order < other.order);
  }
}
