// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests to move bytes between a file and one region of memory, which a {@link PageFile} reads or
 * writes at once. A batch is made once and used again, by one thread at a time.
 *
 * <p>The requests lie in native memory, in the form that the shim's ring takes ({@link IoRequest});
 * whichever engine moves the bytes notes its progress there.
 */
public final class IoBatch {
  private final MemorySegment memory;
  private final MemorySegment requests;
  private final int capacity;
  private int count;

  /** What each request asked for, for messages and to repeat it. */
  private final long[] positions;

  private final int[] lengths;

  /** What the file that the batch was started in keeps with it; null if there is nothing yet. */
  @Nullable Object attachment;

  /** Whether the batch under way writes. */
  boolean writes;

  /**
   * Makes an empty batch.
   *
   * @param memory native memory that all requests read into or write from, kept as long as they are
   *     under way
   * @param capacity the most requests that the batch can have
   */
  public IoBatch(MemorySegment memory, int capacity) {
    Objects.requireNonNull(memory, "memory");
    if (!memory.isNative()) {
      throw new IllegalArgumentException("memory is on the heap: " + memory);
    }
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity is " + capacity + "; it must be positive");
    }
    this.memory = memory;
    this.capacity = capacity;
    this.requests = Arena.ofAuto().allocate(capacity * IoRequest.BYTES, Long.BYTES);
    this.positions = new long[capacity];
    this.lengths = new int[capacity];
  }

  /** Forgets all requests, none of which may be under way. */
  public void clear() {
    count = 0;
  }

  /**
   * Adds a request.
   *
   * @param position the position of the first byte in the file
   * @param offset the offset of the first byte in the memory
   * @param length the number of bytes to move, positive
   * @throws IndexOutOfBoundsException if the memory does not reach so far
   * @throws IllegalStateException if the batch is full
   */
  public void add(long position, long offset, int length) {
    Objects.checkFromIndexSize(offset, (long) length, memory.byteSize());
    if (position < 0 || length <= 0) {
      throw new IllegalArgumentException(
          "position is "
              + position
              + ", length is "
              + length
              + "; position must not be negative, and length must be positive");
    }
    if (count == capacity) {
      throw new IllegalStateException("batch is full: it has room for " + capacity + " requests");
    }
    positions[count] = position;
    lengths[count] = length;
    IoRequest.set(requests, count, position, memory.address() + offset, length);
    count++;
  }

  /** Prepares all requests to be made again, none of which may be under way. */
  void repeat() {
    for (int i = 0; i < count; i++) {
      IoRequest.set(requests, i, positions[i], memory.address() + offset(i), lengths[i]);
    }
  }

  /** Returns the number of requests. */
  public int count() {
    return count;
  }

  /** Returns the most requests that the batch can have. */
  public int capacity() {
    return capacity;
  }

  /** Returns the memory that requests read into or write from. */
  public MemorySegment memory() {
    return memory;
  }

  /** Returns where in the file a request began. */
  public long position(int request) {
    return positions[Objects.checkIndex(request, count)];
  }

  /** Returns the number of bytes that a request asked for. */
  public int length(int request) {
    return lengths[Objects.checkIndex(request, count)];
  }

  /** Returns where in the memory a request began. */
  public long offset(int request) {
    int moved = length(request) - IoRequest.length(requests, request);
    return IoRequest.address(requests, request) - moved - memory.address();
  }

  /** Returns the requests in the form in which engines work on them. */
  MemorySegment requests() {
    return requests;
  }
}
