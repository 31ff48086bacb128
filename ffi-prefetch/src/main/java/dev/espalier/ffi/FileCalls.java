// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.espalier.prefetch.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.Charset;
import java.nio.file.Path;

/**
 * The file calls of the C library, on Linux with 64-bit addresses. An interrupt does not end them,
 * nor does it close the file.
 *
 * <p>A call that fails returns the error number of the system, negative. Needs native access, but
 * not Espalier's own library; where they {@linkplain #status() are not available}, no file can be
 * opened.
 */
public final class FileCalls {

  /** Opens for reading. */
  public static final int READ_ONLY = 0;

  /** Opens for reading and writing. */
  public static final int READ_WRITE = 2;

  /** Makes the file, and fails if it is there. */
  public static final int CREATE_NEW = 0x40 | 0x80; // O_CREAT | O_EXCL

  private static final int O_CLOEXEC = 0x80000;

  /** A pipe is then opened at once, whoever is at its other end. */
  private static final int O_NONBLOCK = 0x800;

  private static final int ALL_MAY_READ_AND_WRITE = 0666;

  private static final int F_SETFL = 4;
  private static final int RWF_NOWAIT = 8;
  private static final int SEEK_END = 2;
  private static final int EINTR = 4;

  private static final NativeStatus STATUS = status(NativeEnvironment.current());

  private FileCalls() {}

  /** {@return whether these calls can be made, and if not, why} */
  public static NativeStatus status() {
    return STATUS;
  }

  static NativeStatus status(NativeEnvironment environment) {
    return environment.callsOnLinux("file calls", "file calls of the C library");
  }

  /** The flag O_DIRECT, which is not the same everywhere. */
  static int directFlag(Platform platform) {
    return platform.architecture().equals("aarch64") ? 0x10000 : 0x4000;
  }

  // ---------------------------------------------------------------- calls

  /**
   * Opens a file. Child processes do not inherit it. Whoever can, may read and write a new one.
   *
   * @param flags {@link #READ_ONLY} or {@link #READ_WRITE}, and {@link #CREATE_NEW}
   * @return its descriptor
   * @throws UnsupportedOperationException if these calls can't be made
   */
  public static int open(Path path, int flags) {
    if (!STATUS.isAvailable()) {
      throw new UnsupportedOperationException(STATUS.toString());
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      MemorySegment name = name(arena, path);
      int result;
      int how = flags | O_CLOEXEC | O_NONBLOCK;
      do {
        result = (int) Calls.OPEN.invokeExact(state, name, how, ALL_MAY_READ_AND_WRITE);
      } while (interrupted(state, result));
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  private static MemorySegment name(Arena arena, Path path) {
    byte[] bytes = path.toAbsolutePath().toString().getBytes(Calls.FILE_NAMES);
    MemorySegment name = arena.allocate(bytes.length + 1L);
    MemorySegment.copy(bytes, 0, name, JAVA_BYTE, 0, bytes.length);
    return name;
  }

  /**
   * Lets transfers block until they are done, past the page cache or through it.
   *
   * @param direct past it; positions, lengths and addresses must then be multiples of the device's
   *     block
   * @return 0, or EINVAL where the file system always goes through its cache
   */
  public static int setDirect(int descriptor, boolean direct) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      int flags = direct ? directFlag(Platform.current()) : 0;
      int result = (int) Calls.FCNTL.invokeExact(state, descriptor, F_SETFL, flags);
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Closes a file; the descriptor is free afterwards, even if this fails. */
  public static int close(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      return (int) result(state, (int) Calls.CLOSE.invokeExact(state, descriptor));
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /**
   * Reads bytes at a position.
   *
   * @param address of native memory, which the caller keeps alive
   * @return how many bytes; 0 at the end of the file
   */
  public static int pread(int descriptor, long address, int length, long position) {
    return move(Calls.PREAD, descriptor, address, length, position);
  }

  /**
   * Reads bytes at a position as far as they are in the page cache, and waits for no device.
   *
   * @param address of native memory, which the caller keeps alive
   * @return how many bytes; 0 at the end of the file, and where the C library has no such call;
   *     EAGAIN if the first one is not there, EOPNOTSUPP where the file system can't tell
   */
  public static int preadCached(int descriptor, long address, int length, long position) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      MemorySegment vector = arena.allocate(2 * JAVA_LONG.byteSize(), JAVA_LONG.byteAlignment());
      vector.setAtIndex(JAVA_LONG, 0, address);
      vector.setAtIndex(JAVA_LONG, 1, length);
      long result =
          (long) Calls.PREADV2.invokeExact(state, descriptor, vector, 1, position, RWF_NOWAIT);
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Writes bytes at a position, and returns how many. */
  public static int pwrite(int descriptor, long address, int length, long position) {
    return move(Calls.PWRITE, descriptor, address, length, position);
  }

  private static int move(
      MethodHandle call, int descriptor, long address, int length, long position) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      long result = (long) call.invokeExact(state, descriptor, address, (long) length, position);
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Waits until all that was written is on the device. */
  public static int fdatasync(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      int result;
      do {
        result = (int) Calls.FDATASYNC.invokeExact(state, descriptor);
      } while (interrupted(state, result));
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /**
   * Takes room on the device for bytes of a file, which are zero where it was shorter.
   *
   * @return 0, or EOPNOTSUPP where the file system can't
   */
  public static int fallocate(int descriptor, long position, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      int result;
      do {
        result = (int) Calls.FALLOCATE.invokeExact(state, descriptor, 0, position, bytes);
      } while (interrupted(state, result));
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Makes a file so long. */
  public static int ftruncate(int descriptor, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      int result;
      do {
        result = (int) Calls.FTRUNCATE.invokeExact(state, descriptor, bytes);
      } while (interrupted(state, result));
      return (int) result(state, result);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Returns the length of a file or device; ESPIPE if it has no positions. */
  public static long size(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Calls.CALL_STATE);
      return result(state, (long) Calls.LSEEK.invokeExact(state, descriptor, 0L, SEEK_END));
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  private static boolean interrupted(MemorySegment state, int result) {
    return result < 0 && (int) Calls.ERRNO.get(state, 0L) == EINTR;
  }

  private static long result(MemorySegment state, long result) {
    return result < 0 ? -(int) Calls.ERRNO.get(state, 0L) : result;
  }

  /**
   * The handles, bound when the first call is made, so that asking for the status prints no
   * warning.
   */
  private static final class Calls {
    static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    static final VarHandle ERRNO = CALL_STATE.varHandle(PathElement.groupElement("errno"));

    /** In which Java's own file calls give names to the system. */
    static final Charset FILE_NAMES =
        Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
    private static final FunctionDescriptor MOVE =
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor ALONE = FunctionDescriptor.of(JAVA_INT, JAVA_INT);

    static final MethodHandle OPEN =
        NativeLibrary.systemCall(
            "open",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
            CAPTURE_ERRNO,
            Linker.Option.firstVariadicArg(2));
    static final MethodHandle FCNTL =
        NativeLibrary.systemCall(
            "fcntl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
            CAPTURE_ERRNO,
            Linker.Option.firstVariadicArg(2));
    static final MethodHandle CLOSE = NativeLibrary.systemCall("close", ALONE, CAPTURE_ERRNO);
    static final MethodHandle PREAD = NativeLibrary.systemCall("pread", MOVE, CAPTURE_ERRNO);
    static final MethodHandle PREADV2 =
        NativeLibrary.systemCallIfThere(
            "preadv2",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_INT),
            CAPTURE_ERRNO);
    static final MethodHandle PWRITE = NativeLibrary.systemCall("pwrite", MOVE, CAPTURE_ERRNO);
    static final MethodHandle FDATASYNC =
        NativeLibrary.systemCall("fdatasync", ALONE, CAPTURE_ERRNO);
    static final MethodHandle FALLOCATE =
        NativeLibrary.systemCall(
            "fallocate",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
            CAPTURE_ERRNO);
    static final MethodHandle FTRUNCATE =
        NativeLibrary.systemCall(
            "ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), CAPTURE_ERRNO);
    static final MethodHandle LSEEK =
        NativeLibrary.systemCall(
            "lseek",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT),
            CAPTURE_ERRNO);

    private Calls() {}
  }
}
