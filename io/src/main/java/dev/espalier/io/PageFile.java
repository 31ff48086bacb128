// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * A file that is read and written in batches: the papers' psync (PIO 2.3), one call that hands all
 * requests of a batch to the device at once and waits for all of them. A batch may also be {@link
 * #startRead started} and {@link #finish finished} later, with any number of others in between.
 *
 * <p>Many threads may use a file at once, each with batches of its own. An interrupt neither ends a
 * request nor harms the file; the thread is still interrupted afterwards.
 *
 * <p>Short transfers are continued, and transient refusals retried, internally. Every other failure
 * is a {@link PageFileException}.
 */
public interface PageFile extends AutoCloseable {

  /** Returns the path of the file, or of the first one if there are several. */
  Path path();

  /** Returns which engine moves the bytes, and why that one. */
  IoStatus status();

  /**
   * Returns the number that positions, lengths and memory addresses of requests must be multiples
   * of: a power of two, 1 if any value is allowed.
   */
  int alignment();

  /** Returns the length of the file in bytes. */
  long bytes();

  /**
   * Reads what a batch asks for, and waits for all of it.
   *
   * @throws PageFileException if a request fails or goes beyond the end of the file
   */
  default void read(IoBatch batch) {
    startRead(batch);
    finish(batch);
  }

  /**
   * Writes what a batch asks for, and waits for all of it. What is written is safe from a crash of
   * the machine only after {@link #force}.
   *
   * @throws PageFileException if a request fails
   */
  default void write(IoBatch batch) {
    startWrite(batch);
    finish(batch);
  }

  /**
   * Starts reading what a batch asks for. Until {@link #finish} returns, the memory and the batch
   * belong to the file; closing the memory meanwhile is as bad as freeing it, because the system
   * may still write to where it was.
   *
   * @throws PageFileException if the requests can't be handed over; none is under way then
   * @throws IllegalStateException if the file is closed
   */
  void startRead(IoBatch batch);

  /** Starts writing what a batch asks for, as {@link #startRead} starts reading. */
  void startWrite(IoBatch batch);

  /** Tells whether {@link #finish} would return without waiting. */
  boolean isDone(IoBatch batch);

  /**
   * Waits until all requests of a started batch are done.
   *
   * @throws PageFileException for the first request that failed; all others have ended as well
   */
  void finish(IoBatch batch);

  /**
   * Makes the file at least this long, with room on the device for all of it.
   *
   * @throws PageFileException if there is no room; the file is no shorter than before
   */
  void grow(long bytes);

  /**
   * Makes the file at most this long.
   *
   * @throws PageFileException if the system refuses
   */
  void truncate(long bytes);

  /**
   * Waits until everything that was written is safe from a crash of the machine (fdatasync).
   *
   * @throws PageFileException if the device fails; what was written may be lost even if a second
   *     call succeeds
   */
  void force();

  /** Waits for all batches that were started, then closes the file. A second call does nothing. */
  @Override
  void close();
}
