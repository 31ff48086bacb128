// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.espalier.ffi.NativeLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Asks the processor to fetch cache lines of native memory that will be needed soon.
 *
 * <p>A prefetch is a hint: it may name any address, mapped or not, and changes nothing but time. It
 * works in steps of {@value #LINE_BYTES} bytes from the line that holds the address. Without native
 * access, or without the library, nothing happens; {@link #status()} tells, and {@link #isNative()}
 * is a constant to the JIT compiler, so that code behind it then vanishes.
 *
 * <p>Each call costs a few nanoseconds, about as much as it takes to fetch one more line. To fetch
 * many nodes, one {@code batch} is cheaper than many calls. Calls do not let the garbage collector
 * in: keep a batch to a few thousand lines.
 */
public final class Prefetch {

  /** Bytes from one prefetched line to the next, on every platform. */
  public static final int LINE_BYTES = 64;

  private static final NativeLibrary LIBRARY = NativeLibrary.espalier();
  private static final boolean NATIVE = LIBRARY.status().isAvailable();

  // An address that is only a hint travels as a long: any value is right, and no segment is made.
  private static final MethodHandle LINES =
      LIBRARY.downcall(
          "espalier_prefetch_lines",
          FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_INT),
          Linker.Option.critical(false));

  private static final FunctionDescriptor BATCH =
      FunctionDescriptor.ofVoid(JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle BATCH_OF_ARRAY =
      LIBRARY.downcall("espalier_prefetch_batch", BATCH, Linker.Option.critical(true));
  private static final MethodHandle BATCH_OF_SEGMENT =
      LIBRARY.downcall("espalier_prefetch_batch", BATCH, Linker.Option.critical(false));

  private Prefetch() {}

  /** {@return whether a prefetch reaches the processor} */
  public static boolean isNative() {
    return NATIVE;
  }

  /** {@return whether the native library is in use, and if not, why} */
  public static NativeStatus status() {
    return LIBRARY.status();
  }

  /**
   * Prefetches consecutive lines into every level of cache.
   *
   * @param address an address in the first line
   * @param lines how many lines; none if not positive
   */
  public static void lines(long address, int lines) {
    lines(address, lines, Locality.T0);
  }

  /**
   * Prefetches consecutive lines.
   *
   * @param address an address in the first line
   * @param lines how many lines; none if not positive
   * @param locality into which caches
   */
  public static void lines(long address, int lines, Locality locality) {
    if (NATIVE) {
      try {
        LINES.invokeExact(address, lines, locality.hint);
      } catch (Throwable e) {
        throw NativeLibrary.unchecked(e);
      }
    }
  }

  /**
   * Prefetches lines at many places into every level of cache.
   *
   * @param base what the offsets are added to
   * @param offsets places, in bytes from {@code base}
   * @param from index of the first offset to use
   * @param count how many offsets to use
   * @param lines how many lines at each place; none if not positive
   * @throws IndexOutOfBoundsException if {@code offsets} does not have all these indexes
   */
  public static void batch(long base, long[] offsets, int from, int count, int lines) {
    batch(base, offsets, from, count, lines, Locality.T0);
  }

  /**
   * Prefetches lines at many places.
   *
   * @param base what the offsets are added to
   * @param offsets places, in bytes from {@code base}
   * @param from index of the first offset to use
   * @param count how many offsets to use
   * @param lines how many lines at each place; none if not positive
   * @param locality into which caches
   * @throws IndexOutOfBoundsException if {@code offsets} does not have all these indexes
   */
  public static void batch(
      long base, long[] offsets, int from, int count, int lines, Locality locality) {
    Objects.checkFromIndexSize(from, count, offsets.length);
    if (NATIVE) {
      try {
        BATCH_OF_ARRAY.invokeExact(
            base, MemorySegment.ofArray(offsets), from, count, lines, locality.hint);
      } catch (Throwable e) {
        throw NativeLibrary.unchecked(e);
      }
    }
  }

  /**
   * Prefetches lines at many places whose offsets are in native memory.
   *
   * @param base what the offsets are added to
   * @param offsets places, in bytes from {@code base}: a native segment of longs in native byte
   *     order, aligned to 8 bytes
   * @param from index of the first offset to use
   * @param count how many offsets to use
   * @param lines how many lines at each place; none if not positive
   * @param locality into which caches
   * @throws IndexOutOfBoundsException if {@code offsets} does not have all these indexes
   * @throws IllegalArgumentException if {@code offsets} is a heap segment
   * @throws IllegalStateException if {@code offsets} has been freed
   * @throws WrongThreadException if {@code offsets} belongs to another thread
   */
  public static void batch(
      long base, MemorySegment offsets, int from, int count, int lines, Locality locality) {
    Objects.checkFromIndexSize((long) from, (long) count, offsets.byteSize() / Long.BYTES);
    if (NATIVE) {
      try {
        BATCH_OF_SEGMENT.invokeExact(base, offsets, from, count, lines, locality.hint);
      } catch (Throwable e) {
        throw NativeLibrary.unchecked(e);
      }
    }
  }
}
