// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Native memory that is given back once: when its arena closes, or, if nobody closes the arena,
 * when the garbage collector finds that no segment of the memory can be reached.
 *
 * <p>What is watched is the scope, which every segment of the arena and every slice of one refers
 * to, and which each access keeps reachable to its end. So memory that anything can still read is
 * never given back, whatever has become of the objects around it.
 */
final class NativeBlock {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final AtomicLong LIVE_BYTES = new AtomicLong();

  private NativeBlock() {}

  /** Returns the bytes of all blocks that were not given back. */
  static long liveBytes() {
    return LIVE_BYTES.get();
  }

  /**
   * Makes a segment of memory that is there.
   *
   * @param bytes its size, at {@code address}
   * @param arena lifetime of the memory
   * @param giveBack gives the memory back; must not refer to the arena
   * @throws IllegalStateException if the arena is closed; the memory was then given back, as with
   *     any other exception
   */
  @SuppressWarnings("restricted")
  static MemorySegment of(long address, long bytes, Arena arena, Runnable giveBack) {
    LIVE_BYTES.addAndGet(bytes);
    // Runs once, whoever asks for it first; the address may be another's afterwards.
    Cleaner.Cleanable once =
        CLEANER.register(
            arena.scope(),
            () -> {
              LIVE_BYTES.addAndGet(-bytes);
              giveBack.run();
            });
    try {
      return MemorySegment.ofAddress(address).reinterpret(bytes, arena, _ -> once.clean());
    } catch (IllegalStateException | WrongThreadException e) {
      once.clean();
      throw e;
    }
  }
}
