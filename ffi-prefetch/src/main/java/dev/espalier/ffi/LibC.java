// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The memory calls of the C library, on Linux with 64-bit addresses. The constants are those of
 * x86-64 and aarch64.
 */
final class LibC {

  static final int MADV_DONTNEED = 4;
  static final int MADV_HUGEPAGE = 14;

  /** Since Linux 6.1. */
  static final int MADV_COLLAPSE = 25;

  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int MAP_PRIVATE = 0x02;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final long MAP_FAILED = -1;
  private static final int ENOMEM = 12;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = CALL_STATE.varHandle(PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

  private static final MethodHandle MMAP =
      NativeLibrary.systemCall(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
          CAPTURE_ERRNO);
  private static final MethodHandle MUNMAP =
      NativeLibrary.systemCall(
          "munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG), CAPTURE_ERRNO);
  private static final MethodHandle MADVISE =
      NativeLibrary.systemCall(
          "madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle ALIGNED_ALLOC =
      NativeLibrary.systemCall(
          "aligned_alloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FREE =
      NativeLibrary.systemCall("free", FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final MethodHandle GETPAGESIZE =
      NativeLibrary.systemCall("getpagesize", FunctionDescriptor.of(JAVA_INT));

  static final long PAGE_SIZE = pageSize();

  private LibC() {}

  /** Private anonymous memory, readable and writable, without a reservation of swap space. */
  static long mmap(long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      long address =
          (long)
              MMAP.invokeExact(
                  state,
                  0L,
                  length,
                  PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1,
                  0L);
      if (address == MAP_FAILED) {
        throw new SystemCallException(
            "mmap of " + Long.toUnsignedString(length) + " bytes", (int) ERRNO.get(state, 0L));
      }
      return address;
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  static void munmap(long address, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      if ((int) MUNMAP.invokeExact(state, address, length) != 0) {
        throw new SystemCallException("munmap of " + length + " bytes", (int) ERRNO.get(state, 0L));
      }
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Memory of the heap, with any contents. */
  static long alignedAlloc(long alignment, long bytes) {
    try {
      // C11 wants a whole multiple of the alignment.
      long whole = (bytes + alignment - 1) & -alignment;
      long address = (long) ALIGNED_ALLOC.invokeExact(alignment, whole);
      if (address == 0) {
        throw new SystemCallException("aligned_alloc of " + bytes + " bytes", ENOMEM);
      }
      return address;
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  static void free(long address) {
    try {
      FREE.invokeExact(address);
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  /** Whether the kernel followed the advice. The segment keeps the memory alive meanwhile. */
  static boolean madvise(MemorySegment pages, int advice) {
    try {
      return (int) MADVISE.invokeExact(pages, pages.byteSize(), advice) == 0;
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }

  private static long pageSize() {
    try {
      return (int) GETPAGESIZE.invokeExact();
    } catch (Throwable e) {
      throw NativeLibrary.unchecked(e);
    }
  }
}
