// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An io_uring of the native library: queues that it shares with the kernel. It takes the requests
 * of an array ({@link IoRequest}) that are queued, and notes their results there.
 *
 * <p>For one thread at a time. Calls block, and an interrupt does not end them. Between {@link
 * #submit} and the last result the kernel writes into the array and into the memory that its
 * requests name: whoever submits keeps both alive and open.
 */
public final class Ring implements AutoCloseable {
  private static final int EPERM = 1;
  private static final int ENOMEM = 12;
  private static final int EACCES = 13;
  private static final int ENFILE = 23;
  private static final int EMFILE = 24;
  private static final int ENOSYS = 38;

  private static final Path DISABLED = Path.of("/proc/sys/kernel/io_uring_disabled");

  private static final NativeLibrary LIBRARY = NativeLibrary.espalier();

  private static final MethodHandle OPEN =
      LIBRARY.downcall("espalier_ring_open", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
  private static final FunctionDescriptor WITH_REQUESTS =
      FunctionDescriptor.of(JAVA_INT, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle SUBMIT =
      LIBRARY.downcall("espalier_ring_submit", WITH_REQUESTS);
  private static final MethodHandle TRANSFER =
      LIBRARY.downcall("espalier_ring_transfer", WITH_REQUESTS);
  private static final FunctionDescriptor ALONE = FunctionDescriptor.of(JAVA_INT, JAVA_LONG);
  private static final MethodHandle REAP = LIBRARY.downcall("espalier_ring_reap", ALONE);
  private static final MethodHandle CLOSE = LIBRARY.downcall("espalier_ring_close", ALONE);

  private static final NativeStatus STATUS =
      status(LIBRARY.status(), Ring::probe, Ring::disabledSetting);

  /** Of the ring in the native library; 0 once it is closed. */
  private long address;

  private Ring(long address) {
    this.address = address;
  }

  // ---------------------------------------------------------------- status

  /** {@return whether rings can be opened, and if not, why} */
  public static NativeStatus status() {
    return STATUS;
  }

  /**
   * Tells what became of a ring.
   *
   * @param library whether the native library is in use
   * @param probe opens and closes a ring; a negative error number if it fails
   * @param disabledSetting what the kernel's switch {@code io_uring_disabled} says, if it has one
   */
  static NativeStatus status(
      NativeStatus library, LongSupplier probe, Supplier<Optional<String>> disabledSetting) {
    if (!library.isAvailable()) {
      return library;
    }
    long result = probe.getAsLong();
    return result < 0
        ? refusal((int) -result, disabledSetting.get())
        : new NativeStatus(State.AVAILABLE, "io_uring", "");
  }

  /** {@return what it means that a ring was refused with an error number of the system} */
  public static NativeStatus refusal(int errno) {
    return refusal(errno, disabledSetting());
  }

  private static NativeStatus refusal(int errno, Optional<String> disabledSetting) {
    return switch (errno) {
      case EPERM, EACCES -> forbidden(errno, disabledSetting);
      case ENOSYS ->
          new NativeStatus(
              State.NOT_SUPPORTED,
              "no io_uring of Linux 5.6 or newer, here or where the library was built (ENOSYS)",
              "run Linux 5.6 or newer, and in a container a seccomp profile that permits io_uring");
      case ENOMEM ->
          new NativeStatus(
              State.OUT_OF_RESOURCES,
              "no memory for io_uring: most likely the limit on locked memory (ENOMEM)",
              "raise the limit (ulimit -l), or run Linux 5.12 or newer");
      case EMFILE, ENFILE ->
          new NativeStatus(
              State.OUT_OF_RESOURCES,
              "no file descriptor is left for io_uring (errno " + errno + ")",
              "raise the limit on open files (ulimit -n)");
      default ->
          new NativeStatus(
              State.NOT_SUPPORTED, "the system refused io_uring (errno " + errno + ")", "");
    };
  }

  private static NativeStatus forbidden(int errno, Optional<String> disabledSetting) {
    String detail = "the system does not permit io_uring (errno " + errno + ")";
    return disabledSetting
        .filter(setting -> !setting.equals("0"))
        .map(
            setting ->
                new NativeStatus(
                    State.NOT_PERMITTED,
                    detail + ": kernel.io_uring_disabled is " + setting,
                    "let the administrator run sysctl kernel.io_uring_disabled=0"))
        .orElseGet(
            () ->
                new NativeStatus(
                    State.NOT_PERMITTED,
                    detail + ", as containers often do",
                    "run with a seccomp profile that permits io_uring_setup and io_uring_enter"));
  }

  private static long probe() {
    long opened = open(LIBRARY.status(), 1);
    if (opened > 0) {
      new Ring(opened).close();
    }
    return opened;
  }

  private static Optional<String> disabledSetting() {
    try {
      return Optional.of(Files.readString(DISABLED).strip());
    } catch (IOException absent) {
      return Optional.empty();
    }
  }

  // ---------------------------------------------------------------- the ring

  /**
   * Opens a ring.
   *
   * @param entries most requests that are with the kernel at once; more wait for their turn
   * @throws SystemCallException if the system refuses; {@link #refusal} says what that means
   * @throws UnsupportedOperationException if the native library is not in use
   */
  public static Ring open(int entries) {
    long opened = open(LIBRARY.status(), entries);
    if (opened < 0) {
      throw new SystemCallException("io_uring_setup", (int) -opened);
    }
    return new Ring(opened);
  }

  private static long open(NativeStatus library, int entries) {
    if (!library.isAvailable()) {
      throw new UnsupportedOperationException(library.toString());
    }
    try {
      return (long) OPEN.invokeExact(entries);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /**
   * Hands over the requests that are queued, and does not wait, unless more are under way than the
   * ring has entries. What the kernel refuses has a result at once.
   *
   * @param requests array of {@link IoRequest}, the files of which are set
   * @param count requests in it
   * @param writes whether bytes go to the file
   */
  public void submit(MemorySegment requests, int count, boolean writes) {
    try {
      check((int) SUBMIT.invokeExact(address(), checked(requests, count), count, writes ? 1 : 0));
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /**
   * Hands over the requests that are queued, and waits until none of the array is pending: one
   * system call, if the ring has room for all. What else completes meanwhile has its result, too.
   */
  public void transfer(MemorySegment requests, int count, boolean writes) {
    try {
      check((int) TRANSFER.invokeExact(address(), checked(requests, count), count, writes ? 1 : 0));
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Notes the results of what has completed, without waiting. */
  public void reap() {
    try {
      check((int) REAP.invokeExact(address()));
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Waits for all that is under way and notes its results. A second call does nothing. */
  @Override
  public void close() {
    if (address == 0) {
      return;
    }
    try {
      check((int) CLOSE.invokeExact(address));
      address = 0;
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  private long address() {
    if (address == 0) {
      throw new IllegalStateException("the ring is closed");
    }
    return address;
  }

  private static MemorySegment checked(MemorySegment requests, int count) {
    return requests.asSlice(0, count * IoRequest.BYTES);
  }

  private static void check(int result) {
    if (result < 0) {
      throw new SystemCallException("io_uring_enter", -result);
    }
  }
}
