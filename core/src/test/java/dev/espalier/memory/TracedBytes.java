// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.function.LongSupplier;

/** Adds up what is read and written, in a JVM that traces. */
public final class TracedBytes implements Trace.Listener {
  private long read;
  private long written;

  @Override
  public void read(long address, int bytes) {
    read += bytes;
  }

  @Override
  public void write(long address, int bytes) {
    written += bytes;
  }

  @Override
  public void prefetch(long address, int lines) {}

  /** Prints the bytes of what is known to have moved, and those that were read and written. */
  public static void print(String name, Runnable updates, LongSupplier moved) {
    TracedBytes bytes = new TracedBytes();
    Trace.to(bytes);
    updates.run();
    Trace.to(null);
    System.out.println(name + " " + moved.getAsLong() + " " + bytes.read + " " + bytes.written);
  }
}
