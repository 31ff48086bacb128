// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import dev.espalier.ffi.SystemCallException;
import dev.espalier.ffi.VirtualMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A piece of native memory, taken from the system at once: a plain allocation while it is small;
 * beyond one huge page reserved address space where the system allows, in which memory is taken
 * only by touching it.
 *
 * <p>Whoever takes it closes it. If nobody does, the garbage collector gives it back once no
 * segment of it, slices included, can be reached; without native access, or outside Linux, it stays
 * (decision 23).
 *
 * <p>An index that grows has one region after the other. {@link #replacedBy} and {@link #close}
 * agree on which is the last: closing any of them closes that one, whatever another thread does
 * meanwhile.
 */
public final class Region {

  /** Where 32-bit line numbers end: 256 GiB. */
  static final long MOST_RESERVED_BYTES = 1L << (32 + CacheLine.SHIFT);

  /**
   * A simulated page table can't know where the system puts memory, but it sees the place within a
   * page. When tracing, that place is the same on every machine, for pages up to huge ones.
   */
  private static final long ALIGNMENT = Trace.ON ? NodeMemory.HUGE_PAGE_BYTES : CacheLine.BYTES;

  /** What devices that are read past the page cache want of memory addresses. */
  private static final long DEVICE_ALIGNMENT = 4096;

  private final Arena arena;
  private final MemorySegment segment;
  private final boolean isReserved;
  private final boolean hasHugePages;

  /** What this gave way to. */
  private volatile @Nullable Region successor;

  private Region(Arena arena, MemorySegment segment, boolean isReserved, boolean hasHugePages) {
    this.arena = arena;
    this.segment = segment;
    this.isReserved = isReserved;
    this.hasHugePages = hasHugePages;
  }

  /** Takes a few bytes, which are never reserved address space. */
  public static Region small(long bytes) {
    Arena arena = Arena.ofShared();
    return new Region(arena, allocate(arena, bytes, ALIGNMENT), false, false);
  }

  /**
   * Takes more memory for the arena of a region, which comes back with it.
   *
   * @throws MemoryLimitException if the system refuses; the arena is then closed
   */
  public static MemorySegment ofArena(Arena arena, long bytes, long alignment) {
    return allocate(arena, bytes, alignment);
  }

  /** Takes memory to work in from an arena, aligned as that of a region is. */
  public static MemorySegment scratch(Arena arena, long bytes) {
    return arena.allocate(bytes, ALIGNMENT);
  }

  /**
   * Takes exactly so much memory, so aligned that devices can read into it.
   *
   * @throws MemoryLimitException if the system refuses
   */
  public static Region ofPages(long bytes, HugePages hugePages) {
    Arena arena = Arena.ofShared();
    MemorySegment reserved =
        bytes > NodeMemory.HUGE_PAGE_BYTES ? reserve(arena, bytes, bytes) : null;
    if (reserved == null) {
      return new Region(arena, allocate(arena, bytes, DEVICE_ALIGNMENT), false, false);
    }
    boolean granted = hugePages == HugePages.WHEN_GROWN && VirtualMemory.adviseHugePages(reserved);
    return new Region(arena, reserved, true, granted);
  }

  /**
   * Takes memory.
   *
   * @param needed fewest bytes
   * @param wanted bytes of a plain allocation, at least {@code needed}
   * @param limit most bytes, reserved address space included, at least {@code needed}
   * @throws MemoryLimitException if the system refuses
   */
  public static Region take(long needed, long wanted, long limit, HugePages hugePages) {
    Arena arena = Arena.ofShared();
    MemorySegment reserved =
        needed > NodeMemory.HUGE_PAGE_BYTES ? reserve(arena, needed, limit) : null;
    if (reserved == null) {
      return new Region(arena, allocate(arena, Math.min(wanted, limit), ALIGNMENT), false, false);
    }
    boolean granted = hugePages == HugePages.WHEN_GROWN && VirtualMemory.adviseHugePages(reserved);
    return new Region(arena, reserved, true, granted);
  }

  /**
   * Reserves as much address space as the system gives, the limit at most and twice the need at
   * least, or returns null. Strict overcommit or an address-space limit may refuse the first sizes.
   */
  private static @Nullable MemorySegment reserve(Arena arena, long needed, long limit) {
    if (!VirtualMemory.isAvailable()) {
      return null;
    }
    long least = Math.min(limit, 2 * needed);
    for (long bytes = Math.clamp(limit, least, MOST_RESERVED_BYTES);
        ;
        bytes = Math.max(bytes / 4, least)) {
      long whole = (bytes + NodeMemory.HUGE_PAGE_BYTES - 1) & -NodeMemory.HUGE_PAGE_BYTES;
      try {
        return VirtualMemory.reserve(whole, NodeMemory.HUGE_PAGE_BYTES, arena).asSlice(0, bytes);
      } catch (SystemCallException refused) {
        if (bytes == least) {
          return null;
        }
      }
    }
  }

  private static MemorySegment allocate(Arena arena, long bytes, long alignment) {
    try {
      return VirtualMemory.isAvailable()
          ? VirtualMemory.allocate(bytes, alignment, arena)
          : arena.allocate(bytes, alignment);
    } catch (SystemCallException | OutOfMemoryError refused) {
      arena.close();
      throw new MemoryLimitException(
          "the system refused " + bytes + " bytes of native memory", refused);
    }
  }

  /** Returns the bytes that count against a limit when the first {@code used} are in use. */
  public long committedBytes(long used) {
    return isReserved ? used : segment.byteSize();
  }

  /** Returns the arena that owns the memory, shared by all threads. */
  public Arena arena() {
    return arena;
  }

  /** Returns the memory. */
  public MemorySegment segment() {
    return segment;
  }

  /** Tells whether this is address space that takes memory by touching. */
  public boolean isReserved() {
    return isReserved;
  }

  /** Tells whether this is reserved and the system granted huge pages. */
  public boolean hasHugePages() {
    return hasHugePages;
  }

  /**
   * Gives way to other memory: gives this back and returns the other one.
   *
   * @param copy takes what there is from this memory, the first argument, to the other one
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  public Region replacedBy(Region other, BiConsumer<MemorySegment, MemorySegment> copy) {
    try {
      copy.accept(segment, other.segment);
      return replacedBy(other);
    } catch (RuntimeException | Error failed) {
      other.close();
      throw failed;
    }
  }

  /**
   * Gives way to other memory, with new contents.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  public synchronized Region replacedBy(Region other) {
    if (isClosed()) {
      other.close();
      throw new IllegalStateException("the index is closed");
    }
    successor = other;
    arena.close();
    return other;
  }

  /** Tells whether the memory was given back, and that which replaced it. */
  public boolean isClosed() {
    if (arena.scope().isAlive()) {
      return false;
    }
    Region next = successor;
    return next == null || next.isClosed();
  }

  /** Gives the memory back, or that which replaced it. A second call does nothing. */
  public void close() {
    Region next = closeThis();
    while (next != null) {
      next = next.closeThis();
    }
  }

  private synchronized @Nullable Region closeThis() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
    return successor;
  }
}
