// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of every access to node memory, so that a simulator can replay them through a
 * memory hierarchy of its own.
 *
 * <p>Off by default, and then removed by the JIT; the system property {@code espalier.trace=true}
 * switches it on when the JVM starts. Vector kernels are then off, so that every access is seen.
 */
public final class Trace {
  /** Whether this JVM traces. */
  public static final boolean ON = Boolean.getBoolean("espalier.trace");

  private static @Nullable Listener listener;

  /** Told of accesses. Addresses are absolute, in bytes. */
  public interface Listener {
    /** {@code bytes} bytes are read at {@code address}. */
    void read(long address, int bytes);

    /** {@code bytes} bytes are written at {@code address}. */
    void write(long address, int bytes);

    /** {@code lines} cache lines are prefetched from {@code address} on. */
    void prefetch(long address, int lines);
  }

  private Trace() {}

  /**
   * Sends all accesses of this JVM to {@code newListener} from now on, or to none if null.
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

  static void prefetch(long address, int lines) {
    Listener to = listener;
    if (to != null) {
      to.prefetch(address, lines);
    }
  }
}
