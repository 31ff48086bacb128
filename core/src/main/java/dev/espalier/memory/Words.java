// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import dev.espalier.prefetch.Locality;
import dev.espalier.prefetch.Prefetch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Accessors of node memory. Trees read, write and prefetch only through these, so that {@link
 * Trace} sees every access. Offsets are bytes from the start of the segment; words are in native
 * byte order.
 *
 * <p>All of them check bounds, and throw {@link IllegalStateException} if the segment is closed.
 * They use unaligned layouts, which avoid the alignment check; nodes are in fact aligned.
 */
public final class Words {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  /** For words that threads change at once, which have to be aligned. */
  private static final VarHandle SHARED_LONG = ValueLayout.JAVA_LONG.varHandle();

  private Words() {}

  /** Reads eight bytes. */
  public static long getLong(MemorySegment nodes, long offset) {
    if (Trace.ON) {
      Trace.read(nodes.address() + offset, Long.BYTES);
    }
    return nodes.get(LONG, offset);
  }

  /** Writes eight bytes. */
  public static void putLong(MemorySegment nodes, long offset, long value) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, Long.BYTES);
    }
    nodes.set(LONG, offset, value);
  }

  /** Reads eight aligned bytes, before everything that is read afterwards. */
  public static long getLongAcquire(MemorySegment nodes, long offset) {
    if (Trace.ON) {
      Trace.read(nodes.address() + offset, Long.BYTES);
    }
    return (long) SHARED_LONG.getAcquire(nodes, offset);
  }

  /** Writes eight aligned bytes, after everything that was written before. */
  public static void putLongRelease(MemorySegment nodes, long offset, long value) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, Long.BYTES);
    }
    SHARED_LONG.setRelease(nodes, offset, value);
  }

  /**
   * Adds to eight bytes that other threads may change at the same time; returns their previous
   * value.
   */
  public static long getAndAddLong(MemorySegment nodes, long offset, long delta) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, Long.BYTES);
    }
    return (long) SHARED_LONG.getAndAdd(nodes, offset, delta);
  }

  /**
   * Writes eight aligned bytes if they have the expected value, and returns whether they had it.
   */
  public static boolean compareAndSetLong(
      MemorySegment nodes, long offset, long expected, long value) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, Long.BYTES);
    }
    return SHARED_LONG.compareAndSet(nodes, offset, expected, value);
  }

  /** Reads four bytes. */
  public static int getInt(MemorySegment nodes, long offset) {
    if (Trace.ON) {
      Trace.read(nodes.address() + offset, Integer.BYTES);
    }
    return nodes.get(INT, offset);
  }

  /** Writes four bytes. */
  public static void putInt(MemorySegment nodes, long offset, int value) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, Integer.BYTES);
    }
    nodes.set(INT, offset, value);
  }

  /** Reads two bytes, as a number from 0 to 65535. */
  public static int getUnsignedShort(MemorySegment nodes, long offset) {
    if (Trace.ON) {
      Trace.read(nodes.address() + offset, Short.BYTES);
    }
    return Short.toUnsignedInt(nodes.get(SHORT, offset));
  }

  /** Writes two bytes: the lower half of {@code value}. */
  public static void putShort(MemorySegment nodes, long offset, int value) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, Short.BYTES);
    }
    nodes.set(SHORT, offset, (short) value);
  }

  /** Copies {@code bytes} bytes from one offset to another; the ranges may overlap. */
  public static void copy(MemorySegment nodes, long from, long to, long bytes) {
    if (Trace.ON) {
      Trace.read(nodes.address() + from, (int) bytes);
      Trace.write(nodes.address() + to, (int) bytes);
    }
    MemorySegment.copy(nodes, from, nodes, to, bytes);
  }

  /** Copies {@code bytes} bytes from an offset of one memory to an offset of another. */
  public static void copy(
      MemorySegment from, long offset, MemorySegment to, long toOffset, long bytes) {
    if (Trace.ON) {
      Trace.read(from.address() + offset, (int) bytes);
      Trace.write(to.address() + toOffset, (int) bytes);
    }
    MemorySegment.copy(from, offset, to, toOffset, bytes);
  }

  /** Reads {@code count} words into an array, from index {@code first}. */
  public static void getLongs(
      MemorySegment nodes, long offset, long[] words, int first, int count) {
    if (Trace.ON) {
      Trace.read(nodes.address() + offset, count << 3);
    }
    MemorySegment.copy(nodes, LONG, offset, words, first, count);
  }

  /** Writes {@code count} words of an array, from index {@code first}. */
  public static void putLongs(
      MemorySegment nodes, long offset, long[] words, int first, int count) {
    if (Trace.ON) {
      Trace.write(nodes.address() + offset, count << 3);
    }
    MemorySegment.copy(words, first, nodes, LONG, offset, count);
  }

  /**
   * Prefetches {@code lines} cache lines, starting at {@code address}. Does nothing without native
   * access.
   */
  public static void prefetch(long address, int lines, Locality hint) {
    if (Trace.ON) {
      Trace.prefetch(address, lines);
    }
    Prefetch.lines(address, lines, hint);
  }

  /**
   * Prefetches {@code lines} cache lines at each address {@code base + offsets[i]}, for {@code
   * count} values of {@code i} from {@code from}: a group prefetch, in one call. Does nothing
   * without native access.
   */
  public static void prefetchGroup(long base, long[] offsets, int from, int count, int lines) {
    prefetchGroup(base, offsets, from, count, lines, Locality.T0);
  }

  /**
   * Prefetches as {@link #prefetchGroup(long, long[], int, int, int)} does, into the caches that
   * {@code hint} names.
   */
  public static void prefetchGroup(
      long base, long[] offsets, int from, int count, int lines, Locality hint) {
    if (Trace.ON) {
      for (int i = from; i < from + count; i++) {
        Trace.prefetch(base + offsets[i], lines);
      }
    }
    Prefetch.batch(base, offsets, from, count, lines, hint);
  }
}
