// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Reports every access to node memory to a listener, so that a simulator can replay them in a
 * simulated memory hierarchy.
 *
 * <p>Tracing is off by default, in which case the JIT compiler removes it. The system property
 * {@code espalier.trace=true}, set when the JVM starts, switches it on; vector kernels are then
 * off, so that every access is seen.
 */
public final class Trace {
  /** Whether this JVM traces. */
  public static final boolean ON = Boolean.getBoolean("espalier.trace");

  private static @Nullable Listener listener;

  /** Receives accesses. Addresses are absolute, in bytes. */
  public interface Listener {
    /** Called when {@code bytes} bytes are read at {@code address}. */
    void read(long address, int bytes);

    /** Called when {@code bytes} bytes are written at {@code address}. */
    void write(long address, int bytes);

    /** Called when {@code lines} cache lines are prefetched, starting at {@code address}. */
    void prefetch(long address, int lines);

    /**
     * Called when memory is allocated. Any memory that was at these addresses before has been
     * freed, and has nothing to do with the new memory.
     */
    default void allocated(long address, long bytes) {}
  }

  private Trace() {}

  /**
   * Sends all accesses of this JVM to {@code newListener} from now on, or to no listener if null.
   *
   * @throws IllegalStateException if this JVM was not started with {@code -Despalier.trace=true}
   */
  public static void to(@Nullable Listener newListener) {
    if (!ON) {
      throw new IllegalStateException("tracing is off; start the JVM with -Despalier.trace=true");
    }
    listener = newListener;
  }

  static void read(long address, int bytes) {
    Listener to = listener;
    if (to != null) {
      to.read(address, bytes);
    }
  }

  static void write(long address, int bytes) {
    Listener to = listener;
    if (to != null) {
      to.write(address, bytes);
    }
  }

  static MemorySegment allocated(MemorySegment segment) {
    Listener to = listener;
    if (to != null) {
      to.allocated(segment.address(), segment.byteSize());
    }
    return segment;
  }

  static void prefetch(long address, int lines) {
    Listener to = listener;
    if (to != null) {
      to.prefetch(address, lines);
    }
  }
}
