// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Trace;

/** Counts the lines that are touched in a JVM that traces: read or written, again or not. */
final class LineCounter implements Trace.Listener {
  private long lines;
  private long last;

  /** Returns how many lines were touched; those of one that follow each other count as one. */
  long lines() {
    return lines;
  }

  @Override
  public void read(long address, int bytes) {
    touch(address, bytes);
  }

  @Override
  public void write(long address, int bytes) {
    touch(address, bytes);
  }

  private void touch(long address, int bytes) {
    long from = address >> CacheLine.SHIFT;
    long to = (address + Math.max(1, bytes) - 1) >> CacheLine.SHIFT;
    lines += to - from + (from == last ? 0 : 1);
    last = to;
  }

  @Override
  public void prefetch(long address, int prefetched) {}
}
