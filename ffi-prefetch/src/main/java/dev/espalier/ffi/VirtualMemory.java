// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import dev.espalier.prefetch.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that comes back by the garbage collector if nobody closes its arena, address space that
 * becomes memory when it is touched, and huge pages for it. Linux only.
 *
 * <p>Needs native access, but not Espalier's own library. Where it {@linkplain #isAvailable() is
 * not available}, memory cannot be had, and the other methods do nothing and return false. On a
 * region without a whole page, advice has nothing to do, and that counts as done.
 */
public final class VirtualMemory {

  private static final NativeStatus STATUS = status(NativeEnvironment.current());

  private VirtualMemory() {}

  /** {@return whether memory can be reserved} */
  public static boolean isAvailable() {
    return STATUS.isAvailable();
  }

  /** {@return whether memory can be reserved, and if not, why} */
  public static NativeStatus status() {
    return STATUS;
  }

  static NativeStatus status(NativeEnvironment environment) {
    return environment.callsOnLinux("virtual memory calls", "mmap of the C library");
  }

  /**
   * Reserves address space, which may be far larger than the machine's memory. It reads as zero,
   * can be written, and takes memory page by page as it is written first. It is unmapped when the
   * arena closes, or, if that is never closed, when no segment of it can be reached.
   *
   * @param bytes size, positive
   * @param alignment of the first byte: a power of two, in bytes
   * @param arena lifetime of the memory, and the threads that may use it
   * @return {@code bytes} bytes, aligned to {@code alignment} and to whole pages
   * @throws IllegalArgumentException if {@code bytes} or {@code alignment} is not as said
   * @throws SystemCallException if there is not so much address space, or the limits of the process
   *     forbid it
   * @throws IllegalStateException if the arena is closed
   * @throws WrongThreadException if the arena belongs to another thread
   * @throws UnsupportedOperationException if memory cannot be reserved here
   */
  public static MemorySegment reserve(long bytes, long alignment, Arena arena) {
    check(bytes, alignment);
    long length = roundUp(bytes, LibC.PAGE_SIZE);
    long address = map(length, alignment);
    return NativeBlock.of(address, bytes, arena, () -> LibC.munmap(address, length));
  }

  /**
   * Takes memory that is there at once, from the C library's heap, zeroed. It is given back when
   * the arena closes, or, if that is never closed, when no segment of it can be reached.
   *
   * @param bytes size, positive
   * @param alignment of the first byte: a power of two, in bytes
   * @param arena lifetime of the memory, and the threads that may use it
   * @return {@code bytes} bytes, aligned to {@code alignment}
   * @throws IllegalArgumentException if {@code bytes} or {@code alignment} is not as said
   * @throws SystemCallException if there is not so much memory
   * @throws IllegalStateException if the arena is closed
   * @throws WrongThreadException if the arena belongs to another thread
   * @throws UnsupportedOperationException if {@link #isAvailable} is false
   */
  public static MemorySegment allocate(long bytes, long alignment, Arena arena) {
    check(bytes, alignment);
    long address = LibC.alignedAlloc(alignment, bytes);
    return NativeBlock.of(address, bytes, arena, () -> LibC.free(address)).fill((byte) 0);
  }

  /**
   * {@return the bytes of all that was {@linkplain #reserve reserved} or {@linkplain #allocate
   * allocated} and is not given back}
   */
  public static long liveBytes() {
    return NativeBlock.liveBytes();
  }

  private static void check(long bytes, long alignment) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("bytes is not positive: " + bytes);
    }
    if (Long.bitCount(alignment) != 1 || alignment < 0) {
      throw new IllegalArgumentException("alignment is not a power of two: " + alignment);
    }
    if (!isAvailable()) {
      throw new UnsupportedOperationException(STATUS.toString());
    }
  }

  /**
   * Asks for huge pages in the whole pages inside a region. Best before the first touch: memory
   * that is there already is changed only later and in the background, if at all.
   *
   * @param region native memory
   * @return whether the kernel took the advice; it does not where it is built without transparent
   *     huge pages. If it does, huge pages are still not sure: the administrator may have set them
   *     to {@code never}, or memory may be fragmented
   * @throws IllegalArgumentException if {@code region} is on the heap
   */
  public static boolean adviseHugePages(MemorySegment region) {
    return adviseWholePages(region, LibC.MADV_HUGEPAGE);
  }

  /**
   * Rewrites a region into huge pages now, as far as it goes. It copies the memory, and needs Linux
   * 6.1.
   *
   * @param region native memory
   * @return whether all of it that can be is now in huge pages
   * @throws IllegalArgumentException if {@code region} is on the heap
   */
  public static boolean collapse(MemorySegment region) {
    return adviseWholePages(region, LibC.MADV_COLLAPSE);
  }

  /**
   * Gives the memory of a region back to the operating system, and keeps the address space. The
   * region reads as zero afterwards.
   *
   * @param region memory that was {@linkplain #reserve reserved}, or a part of it; the bytes that
   *     share a page with others are only set to zero
   * @return whether this was done; if not, the contents are as they were
   * @throws IllegalArgumentException if {@code region} is on the heap or read-only
   */
  public static boolean release(MemorySegment region) {
    if (region.isReadOnly()) {
      throw new IllegalArgumentException("region is read-only: " + region);
    }
    if (!adviseWholePages(region, LibC.MADV_DONTNEED)) {
      return false;
    }
    // The kernel has cleared the whole pages; what is left lies before and after them.
    MemorySegment pages = wholePages(region);
    long start = pages.address() - region.address();
    region.asSlice(0, start).fill((byte) 0);
    region.asSlice(start + pages.byteSize()).fill((byte) 0);
    return true;
  }

  private static boolean adviseWholePages(MemorySegment region, int advice) {
    if (!region.isNative()) {
      throw new IllegalArgumentException("region is on the heap: " + region);
    }
    if (!isAvailable()) {
      return false;
    }
    MemorySegment pages = wholePages(region);
    return pages.byteSize() == 0 || LibC.madvise(pages, advice);
  }

  /** The whole pages inside a region; none of its bytes if it has no whole page. */
  private static MemorySegment wholePages(MemorySegment region) {
    long end = region.address() + region.byteSize();
    long first = Math.min(roundUp(region.address(), LibC.PAGE_SIZE), end);
    long last = Math.max(roundDown(end, LibC.PAGE_SIZE), first);
    return region.asSlice(first - region.address(), last - first);
  }

  private static long roundUp(long value, long powerOfTwo) {
    return roundDown(value + powerOfTwo - 1, powerOfTwo);
  }

  private static long roundDown(long value, long powerOfTwo) {
    return value & -powerOfTwo;
  }

  /**
   * Maps whole pages and returns their address. Sizes are unsigned here, so none of these sums
   * overflows and the kernel has the last word.
   */
  private static long map(long length, long alignment) {
    long slack = Math.max(alignment, LibC.PAGE_SIZE) - LibC.PAGE_SIZE;
    long start = LibC.mmap(length + slack);
    long address = roundUp(start, alignment);
    long before = address - start;
    long after = slack - before;
    if (before > 0) {
      LibC.munmap(start, before);
    }
    if (after > 0) {
      LibC.munmap(address + length, after);
    }
    return address;
  }
}
