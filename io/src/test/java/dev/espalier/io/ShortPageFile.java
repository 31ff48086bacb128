// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * An engine at its worst: a request moves a few bytes at a time, and often is refused for now
 * instead. Whoever uses it must not notice.
 */
final class ShortPageFile extends EngineFile {
  /** EINTR, EAGAIN and ECANCELED. */
  private static final List<Integer> REFUSALS = List.of(4, 11, 125);

  private final PageFile file;
  private final int mostBytes;
  private final Random random;
  private final Set<Integer> refusedWith = new HashSet<>();
  private long refused;
  private long cutShort;

  /**
   * Makes the engine.
   *
   * @param file that moves the bytes, of alignment 1
   * @param mostBytes most bytes that are moved at a time
   * @param seed for how many they are and what is refused
   */
  ShortPageFile(PageFile file, int mostBytes, long seed) {
    super(file.path(), file.status());
    if (file.alignment() != 1) {
      throw new IllegalArgumentException("a few bytes can't be moved by " + file.status());
    }
    this.file = file;
    this.mostBytes = mostBytes;
    this.random = new Random(seed);
  }

  /** Returns an opener of such files over those of an engine. */
  static PageFileOpener over(PageFileOpener engine, int mostBytes, long seed) {
    return (path, access, blockBytes) ->
        new ShortPageFile(engine.open(path, access, blockBytes), mostBytes, seed);
  }

  /** Returns how often a request was refused for now. */
  synchronized long refused() {
    return refused;
  }

  /** Tells whether requests were refused for now in every way there is. */
  synchronized boolean refusedInEveryWay() {
    return refusedWith.containsAll(REFUSALS);
  }

  /** Returns how often less was moved than asked for. */
  synchronized long cutShort() {
    return cutShort;
  }

  @Override
  synchronized void submit(IoBatch batch) {
    MemorySegment requests = batch.requests();
    for (int i = 0; i < batch.count(); i++) {
      if (IoRequest.result(requests, i) == IoRequest.QUEUED) {
        IoRequest.result(requests, i, attempt(batch, i));
      }
    }
  }

  private int attempt(IoBatch batch, int request) {
    if (random.nextInt(3) == 0) {
      refused++;
      int errno = REFUSALS.get(random.nextInt(REFUSALS.size()));
      refusedWith.add(errno);
      return -errno;
    }
    MemorySegment requests = batch.requests();
    long position = IoRequest.position(requests, request);
    long offset = IoRequest.address(requests, request) - batch.memory().address();
    int asked = IoRequest.length(requests, request);
    int bytes = Math.min(asked, 1 + random.nextInt(mostBytes));
    if (!batch.writes) {
      bytes = Math.clamp(file.bytes() - position, 0, bytes);
    }
    if (bytes == 0) {
      return 0;
    }
    cutShort += bytes < asked ? 1 : 0;
    IoBatch few = new IoBatch(batch.memory(), 1);
    few.add(position, offset, bytes);
    try {
      if (batch.writes) {
        file.write(few);
      } else {
        file.read(few);
      }
    } catch (PageFileException failed) {
      return -failed.errno();
    }
    return bytes;
  }

  @Override
  void await(IoBatch batch) {}

  @Override
  public int alignment() {
    return 1;
  }

  @Override
  long length() {
    return file.bytes();
  }

  @Override
  void lengthen(long from, long to) {
    file.grow(to);
  }

  @Override
  void shorten(long bytes) {
    // The file behind has done so.
  }

  @Override
  void forceData() {
    file.force();
  }

  @Override
  void stop() {
    file.close();
  }
}
