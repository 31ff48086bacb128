// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.espalier.ffi.NativeLibrary;
import dev.espalier.ffi.PinnedArrays;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Prefetches cache lines of native memory that will be needed soon.
 *
 * <p>A prefetch is a hint: any address is allowed, mapped or not, and only time is affected. Lines
 * are {@value #LINE_BYTES} bytes apart, starting with the one that holds the address. Without
 * native access, or without the library, prefetches do nothing, and {@link #status()} says why.
 * {@link #isNative()} is a constant for the JIT compiler, so code that depends on it is then
 * removed.
 *
 * <p>A call costs a few nanoseconds, about as much as fetching one more line. To fetch many nodes,
 * one {@code batch} is cheaper than many calls. The garbage collector has to wait for a call to
 * end, so keep batches to a few thousand lines. In JDK 25 before 25.0.3, G1 may move an array while
 * native code reads it: there, a batch of an array is one call for each offset.
 */
public final class Prefetch {

  /** The distance from one prefetched line to the next in bytes, on all platforms. */
  public static final int LINE_BYTES = 64;

  private static final NativeLibrary LIBRARY = NativeLibrary.espalier();
  private static final boolean NATIVE = LIBRARY.status().isAvailable();

  // An address that is only a hint is passed as a long: any value is valid, and no segment is
  // created.
  private static final MethodHandle LINES =
      LIBRARY.downcall(
          "espalier_prefetch_lines",
          FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_INT),
          Linker.Option.critical(false));

  /**
   * Only the version is asked for: what the collector is takes a module that is else not needed.
   */
  private static final boolean ARRAYS_STAY = PinnedArrays.stay(Runtime.version(), true);

  private static final FunctionDescriptor BATCH =
      FunctionDescriptor.ofVoid(JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle BATCH_OF_ARRAY =
      LIBRARY.downcall("espalier_prefetch_batch", BATCH, Linker.Option.critical(true));
  private static final MethodHandle BATCH_OF_SEGMENT =
      LIBRARY.downcall("espalier_prefetch_batch", BATCH, Linker.Option.critical(false));

  private Prefetch() {}

  /** {@return whether prefetches reach the processor} */
  public static boolean isNative() {
    return NATIVE;
  }

  /** {@return whether the native library is in use, and if not, why} */
  public static NativeStatus status() {
    return LIBRARY.status();
  }

  /**
   * Prefetches consecutive lines into all levels of cache.
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
   * @param locality which caches to prefetch into
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
   * Prefetches lines at many offsets into all levels of cache.
   *
   * @param base the address to which the offsets are added
   * @param offsets offsets from {@code base}, in bytes
   * @param from index of the first offset to use
   * @param count how many offsets to use
   * @param lines how many lines at each offset; none if not positive
   * @throws IndexOutOfBoundsException if these indexes are not within {@code offsets}
   */
  public static void batch(long base, long[] offsets, int from, int count, int lines) {
    batch(base, offsets, from, count, lines, Locality.T0);
  }

  /**
   * Prefetches lines at many offsets.
   *
   * @param base the address to which the offsets are added
   * @param offsets offsets from {@code base}, in bytes
   * @param from index of the first offset to use
   * @param count how many offsets to use
   * @param lines how many lines at each offset; none if not positive
   * @param locality which caches to prefetch into
   * @throws IndexOutOfBoundsException if these indexes are not within {@code offsets}
   */
  public static void batch(
      long base, long[] offsets, int from, int count, int lines, Locality locality) {
    Objects.checkFromIndexSize(from, count, offsets.length);
    if (!ARRAYS_STAY) {
      linesAtEach(base, offsets, from, count, lines, locality);
    } else if (NATIVE) {
      try {
        BATCH_OF_ARRAY.invokeExact(
            base, MemorySegment.ofArray(offsets), from, count, lines, locality.hint);
      } catch (Throwable e) {
        throw NativeLibrary.unchecked(e);
      }
    }
  }

  /** A batch that hands no array to native code. */
  static void linesAtEach(
      long base, long[] offsets, int from, int count, int lines, Locality locality) {
    for (int i = from; i < from + count; i++) {
      lines(base + offsets[i], lines, locality);
    }
  }

  /**
   * Prefetches lines at many offsets, which are in native memory.
   *
   * @param base the address to which the offsets are added
   * @param offsets offsets from {@code base}, in bytes: a native segment of longs in native byte
   *     order, aligned to 8 bytes
   * @param from index of the first offset to use
   * @param count how many offsets to use
   * @param lines how many lines at each offset; none if not positive
   * @param locality which caches to prefetch into
   * @throws IndexOutOfBoundsException if these indexes are not within {@code offsets}
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
