// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * One request to move bytes between a file and memory, as it lies in an array of such requests that
 * Java and the native library share ({@code espalier_io_request}).
 *
 * <pre>
 *  0          8         16       20       24     28        32
 *  | position | address | length | result | file | reserved |
 *    int64      int64     int32    int32    int32  int32
 * </pre>
 *
 * Position, address and length are those of the bytes still to be moved. The result is {@link
 * #QUEUED} or {@link #PENDING}; or it has ended, and is the number of bytes moved, or below 0 an
 * error number of the operating system.
 */
public final class IoRequest {
  /** Size of a request in bytes. */
  public static final long BYTES = 32;

  /** Result of a request that is to be handed over. */
  public static final int QUEUED = Integer.MIN_VALUE + 1;

  /** Result of a request that is under way. */
  public static final int PENDING = Integer.MIN_VALUE;

  private static final long POSITION = 0;
  private static final long ADDRESS = 8;
  private static final long LENGTH = 16;
  private static final long RESULT = 20;
  private static final long FILE = 24;

  private static final VarHandle RESULTS = JAVA_INT.varHandle();

  private IoRequest() {}

  /** Makes a request that is to be handed over. */
  public static void set(
      MemorySegment requests, int request, long position, long address, int length) {
    long at = request * BYTES;
    requests.set(JAVA_LONG, at + POSITION, position);
    requests.set(JAVA_LONG, at + ADDRESS, address);
    requests.set(JAVA_INT, at + LENGTH, length);
    requests.set(JAVA_INT, at + RESULT, QUEUED);
  }

  /** Takes note that bytes were moved, and makes it a request for those that are left. */
  public static void advance(MemorySegment requests, int request, int bytes) {
    set(
        requests,
        request,
        position(requests, request) + bytes,
        address(requests, request) + bytes,
        length(requests, request) - bytes);
  }

  /** {@return where in the file the next byte is} */
  public static long position(MemorySegment requests, int request) {
    return requests.get(JAVA_LONG, request * BYTES + POSITION);
  }

  /** {@return where in memory the next byte is} */
  public static long address(MemorySegment requests, int request) {
    return requests.get(JAVA_LONG, request * BYTES + ADDRESS);
  }

  /** {@return the number of bytes still to be moved} */
  public static int length(MemorySegment requests, int request) {
    return requests.get(JAVA_INT, request * BYTES + LENGTH);
  }

  /** {@return the result, and with it all that the one who set it did before} */
  public static int result(MemorySegment requests, int request) {
    return (int) RESULTS.getAcquire(requests, request * BYTES + RESULT);
  }

  /** Sets the result, after all that this thread did before. */
  public static void result(MemorySegment requests, int request, int result) {
    RESULTS.setRelease(requests, request * BYTES + RESULT, result);
  }

  /** Names the file by its descriptor. */
  public static void file(MemorySegment requests, int request, int descriptor) {
    requests.set(JAVA_INT, request * BYTES + FILE, descriptor);
  }
}
