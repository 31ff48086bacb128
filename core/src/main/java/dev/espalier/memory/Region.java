// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import dev.espalier.ffi.SystemCallException;
import dev.espalier.ffi.VirtualMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A piece of native memory: a plain allocation if it is small; if it is larger than one huge page
 * and the system allows it, reserved address space, which uses memory only once it is touched.
 *
 * <p>Its creator must close it. If nobody does, the garbage collector frees it once none of its
 * segments, including slices, is reachable; without native access, or outside Linux, it is not
 * freed (decision 23).
 *
 * <p>A growing index uses one region after another. {@link #replacedBy} and {@link #close} agree on
 * which is the last: closing any of them closes the last, whatever other threads do meanwhile. Each
 * is replaced once: of two threads that write without a lock, the second fails.
 *
 * <p>Memory {@linkplain #expectReaders beside readers} is not freed when it is outgrown, but
 * together with the region that has outgrown it (decision 50).
 */
public final class Region {

  /** Where 32-bit line numbers end: 256 GiB. */
  static final long MOST_RESERVED_BYTES = 1L << (32 + CacheLine.SHIFT);

  /**
   * Address space that memory beside readers reserves at first: much for an index, and little
   * enough for thousands of indexes in 128 TiB.
   */
  private static final long RESERVED_BESIDE_READERS = 16L << 30;

  /**
   * Memory beside readers keeps at most this many times its size of what it has outgrown: as much
   * as there is if it always grows by half.
   */
  private static final int MOST_OUTGROWN = 2;

  /**
   * A simulated page table does not know where the system puts memory, but sees the offset within a
   * page. When tracing, that offset is the same on every machine, for pages up to huge ones.
   */
  private static final long ALIGNMENT = Trace.ON ? NodeMemory.HUGE_PAGE_BYTES : CacheLine.BYTES;

  /** The alignment that direct reads, which bypass the page cache, need. */
  private static final long DEVICE_ALIGNMENT = 4096;

  /** How long close waits before it tries again to free memory that a call to the system has. */
  private static final long NAP_NANOS = 10_000;

  /** Beside a region, memory of so many bytes is mapped: much of it may never be used. */
  private static final int LEAST_MAPPED_BYTES = 256 << 10;

  private final Arena arena;
  private final MemorySegment segment;
  private final boolean isReserved;
  private boolean hasHugePages;

  /** What this region has outgrown, and frees when it is freed itself. */
  private volatile @Nullable Region outgrown;

  /** What replaced this region. */
  private volatile @Nullable Region successor;

  /** Whether others read the index while it grows; what replaces this region inherits it. */
  private boolean isBesideReaders;

  /** Whether the index has left this region, which is freed later. */
  private volatile boolean isLeft;

  private Region(Arena arena, MemorySegment segment, boolean isReserved, boolean hasHugePages) {
    this.arena = arena;
    this.segment = segment;
    this.isReserved = isReserved;
    this.hasHugePages = hasHugePages;
  }

  /** Allocates a small region, never in reserved address space. */
  public static Region small(long bytes) {
    return allocated(Arena.ofShared(), bytes, ALIGNMENT);
  }

  /**
   * Allocates the first region of an index that will grow.
   *
   * @param least size of a small region in bytes
   * @param limit the most bytes, including reserved address space
   * @param isBesideReaders whether others read the index while it grows: address space is then
   *     reserved at once, unless the system refuses
   */
  static Region first(long least, long limit, boolean isBesideReaders) {
    if (!isBesideReaders) {
      return small(least);
    }
    Region first = reserved(least, Math.min(RESERVED_BESIDE_READERS, limit));
    first.expectReaders();
    return first;
  }

  private static Region reserved(long least, long most) {
    Arena arena = Arena.ofShared();
    MemorySegment reserved = reserve(arena, Math.min(NodeMemory.HUGE_PAGE_BYTES, most), most);
    return reserved == null
        ? allocated(arena, least, ALIGNMENT)
        : new Region(arena, reserved, true, false);
  }

  /**
   * Allocates more memory in the arena of a region, to be freed with it. Where much is asked for,
   * the system gives it page by page, as it is written first.
   *
   * @throws MemoryLimitException if the system refuses; the arena, and what is in it, stays
   */
  public static MemorySegment ofArena(Arena arena, long bytes, long alignment) {
    if (bytes < LEAST_MAPPED_BYTES || !VirtualMemory.isAvailable()) {
      return allocate(arena, bytes, alignment);
    }
    try {
      return Trace.allocated(VirtualMemory.reserve(bytes, alignment, arena));
    } catch (SystemCallException refused) {
      throw refusal(bytes, refused);
    }
  }

  /** Allocates working memory in an arena, aligned like that of a region. */
  public static MemorySegment scratch(Arena arena, long bytes) {
    return Trace.allocated(arena.allocate(bytes, ALIGNMENT));
  }

  /**
   * Allocates a region of exactly {@code bytes} bytes, aligned so that devices can read into it.
   *
   * @throws MemoryLimitException if the system refuses
   */
  public static Region ofPages(long bytes, HugePages hugePages) {
    return ofPagesUpTo(bytes, bytes, hugePages);
  }

  /**
   * Allocates a region as {@link #ofPages} does, of as many bytes as the system gives page by page
   * as they are written. Where it refuses so many, half of them will do, and so on.
   *
   * @param most the bytes wanted
   * @param least the bytes that are taken even if the system clears them all at once
   * @throws MemoryLimitException if the system refuses
   */
  public static Region ofPagesUpTo(long most, long least, HugePages hugePages) {
    Arena arena = Arena.ofShared();
    for (long bytes = most;
        bytes > NodeMemory.HUGE_PAGE_BYTES;
        bytes = Math.max(bytes / 2, least)) {
      MemorySegment reserved = reserve(arena, bytes, bytes);
      if (reserved != null) {
        // Of what is hardly used, the first huge page would be most.
        boolean granted =
            hugePages == HugePages.WHEN_GROWN
                && VirtualMemory.adviseHugePages(reserved.asSlice(NodeMemory.HUGE_PAGE_BYTES));
        return new Region(arena, reserved, true, granted);
      }
      MemorySegment mapped = VirtualMemory.isAvailable() ? null : EmptyFile.map(bytes, arena);
      if (mapped != null) {
        return new Region(arena, Trace.allocated(mapped), false, false);
      }
      if (bytes == least) {
        break;
      }
    }
    return allocated(arena, least, DEVICE_ALIGNMENT);
  }

  /**
   * Allocates a region.
   *
   * @param needed the least number of bytes
   * @param wanted size of a plain allocation in bytes, at least {@code needed}
   * @param limit the most bytes, including reserved address space, at least {@code needed}
   * @param hugePages whether to ask for huge pages
   * @throws MemoryLimitException if the system refuses
   */
  public static Region take(long needed, long wanted, long limit, HugePages hugePages) {
    Arena arena = Arena.ofShared();
    MemorySegment reserved =
        needed > NodeMemory.HUGE_PAGE_BYTES ? reserve(arena, needed, limit) : null;
    if (reserved == null) {
      return allocated(arena, Math.min(wanted, limit), ALIGNMENT);
    }
    boolean granted = hugePages == HugePages.WHEN_GROWN && VirtualMemory.adviseHugePages(reserved);
    return new Region(arena, reserved, true, granted);
  }

  /**
   * Reserves as much address space as the system grants, at most the limit and at least twice the
   * need; null if it refuses. Strict overcommit or an address-space limit may refuse larger sizes.
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
        return Trace.allocated(
            VirtualMemory.reserve(whole, NodeMemory.HUGE_PAGE_BYTES, arena).asSlice(0, bytes));
      } catch (SystemCallException refused) {
        if (bytes == least) {
          return null;
        }
      }
    }
  }

  /** Makes a region of a plain allocation in its own arena, which is closed if that fails. */
  private static Region allocated(Arena own, long bytes, long alignment) {
    try {
      return new Region(own, allocate(own, bytes, alignment), false, false);
    } catch (RuntimeException | Error failed) {
      own.close();
      throw failed;
    }
  }

  private static MemorySegment allocate(Arena arena, long bytes, long alignment) {
    try {
      return Trace.allocated(
          VirtualMemory.isAvailable()
              ? VirtualMemory.allocate(bytes, alignment, arena)
              : arena.allocate(bytes, alignment));
    } catch (SystemCallException | OutOfMemoryError refused) {
      throw refusal(bytes, refused);
    }
  }

  private static MemoryLimitException refusal(long bytes, Throwable refused) {
    return new MemoryLimitException(
        "the system refused " + bytes + " bytes of native memory", refused);
  }

  /**
   * Returns the number of bytes that count against a limit if the first {@code used} are in use.
   */
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

  /** Returns whether this is reserved address space, which uses memory only once it is touched. */
  public boolean isReserved() {
    return isReserved;
  }

  /**
   * Asks for huge pages in reserved address space that is in use already: the first is made now, as
   * far as the system can.
   */
  void adviseHugePages() {
    if (isReserved && VirtualMemory.adviseHugePages(segment)) {
      VirtualMemory.collapse(segment.asSlice(0, NodeMemory.HUGE_PAGE_BYTES));
      hasHugePages = true;
    }
  }

  /** Returns whether this is reserved address space for which the system granted huge pages. */
  public boolean hasHugePages() {
    return hasHugePages;
  }

  /**
   * Announces that others read the index while it grows, from now on: growth then takes no memory
   * away from them.
   */
  public void expectReaders() {
    isBesideReaders = true;
  }

  /** Returns whether others read the index while it grows. */
  boolean isBesideReaders() {
    return isBesideReaders;
  }

  /**
   * Replaces this region with another that has contents of its own: frees this region and returns
   * the other.
   *
   * @throws IllegalStateException if this region is closed; the other is then closed, too
   * @throws ConcurrentModificationException if another thread has replaced this region; the other
   *     is then closed
   */
  public synchronized Region replacedBy(Region other) {
    checkReplaceable(other);
    other.isBesideReaders |= isBesideReaders;
    successor = other;
    closeArenas();
    return other;
  }

  /**
   * Copies the contents, and then replaces this region as {@link #replacedBy(Region)} does.
   *
   * @param copy copies the contents of this memory, its first argument, to the other's
   */
  public Region replacedBy(Region other, BiConsumer<MemorySegment, MemorySegment> copy) {
    copyTo(other, copy);
    return replacedBy(other);
  }

  /**
   * Replaces this region with a larger one, as {@link #replacedBy(Region)} does. Beside readers,
   * this region is freed together with the other. If it is reserved address space, its memory is
   * given back at once, and readers find zeros.
   */
  public Region outgrownBy(Region other) {
    if (!isBesideReaders) {
      return replacedBy(other);
    }
    keepFor(other);
    if (isReserved) {
      VirtualMemory.release(segment);
    }
    return other;
  }

  /**
   * Copies the contents as {@link #replacedBy(Region, BiConsumer)} does, and then replaces this
   * region as {@link #outgrownBy(Region)} does.
   */
  public Region outgrownBy(Region other, BiConsumer<MemorySegment, MemorySegment> copy) {
    copyTo(other, copy);
    return outgrownBy(other);
  }

  /**
   * As {@link #outgrownBy(Region, BiConsumer)}, but readers keep what they read.
   *
   * @param used how many bytes have contents, from the beginning
   */
  Region outgrownBy(Region other, long used) {
    copyTo(other, (from, to) -> MemorySegment.copy(from, 0, to, 0, used));
    return isBesideReaders ? keepFor(other) : replacedBy(other);
  }

  /**
   * Returns memory of at least {@code needed} bytes: this, with huge pages if they are wanted, or a
   * larger region that this one gives way to.
   *
   * @param used how many bytes have contents, from the beginning
   * @param most the most bytes of a plain allocation, at least {@code needed}
   * @param limit the most bytes, including reserved address space
   * @throws MemoryLimitException if the system refuses
   * @throws IllegalStateException if this region is closed
   */
  Region grown(long needed, long used, long most, long limit, HugePages hugePages) {
    if (needed <= segment.byteSize()) {
      if (hugePages == HugePages.WHEN_GROWN) {
        adviseHugePages();
      }
      return this;
    }
    long wanted = Math.min(Math.max(needed, 2 * segment.byteSize()), most);
    boolean isFirst = isBesideReaders && needed <= NodeMemory.HUGE_PAGE_BYTES;
    Region larger = isFirst ? first(wanted, limit, true) : take(needed, wanted, limit, hugePages);
    return outgrownBy(larger, used);
  }

  /**
   * Returns how far an index that needs so many bytes may use the memory without growing: huge
   * pages are asked for where the first one ends.
   */
  long endFor(long needed) {
    long bytes = segment.byteSize();
    return needed > NodeMemory.HUGE_PAGE_BYTES
        ? bytes
        : Math.min(bytes, NodeMemory.HUGE_PAGE_BYTES);
  }

  private void copyTo(Region other, BiConsumer<MemorySegment, MemorySegment> copy) {
    try {
      copy.accept(segment, other.segment);
    } catch (RuntimeException | Error failed) {
      other.close();
      throw failed;
    }
  }

  /**
   * Keeps this region, and what it has outgrown, until a larger one is freed. The older ones are
   * freed at once if they are too large: near a limit, memory grows by little again and again.
   */
  private Region keepFor(Region larger) {
    long bytes = 0;
    for (Region each = this; each != null; each = each.outgrown) {
      bytes += each.segment.byteSize();
    }
    leftFor(larger, this);
    Region older = outgrown;
    if (bytes > MOST_OUTGROWN * larger.segment.byteSize() && older != null) {
      outgrown = null;
      older.closeArenas();
    }
    return larger;
  }

  /**
   * Makes another region the one that the index uses from now on, but does not free this one: it
   * belongs to whoever closes its arena.
   *
   * @throws IllegalStateException if this region is closed; the other is then closed, too
   * @throws ConcurrentModificationException if another thread has replaced this region; the other
   *     is then closed
   */
  Region leftFor(Region other) {
    return leftFor(other, outgrown);
  }

  private synchronized Region leftFor(Region other, @Nullable Region outgrownByOther) {
    checkReplaceable(other);
    other.isBesideReaders |= isBesideReaders;
    other.outgrown = outgrownByOther;
    successor = other;
    isLeft = true;
    return other;
  }

  private void checkReplaceable(Region other) {
    if (isClosed()) {
      other.close();
      throw new IllegalStateException("the index is closed");
    }
    // A second successor would take the place of the first, which nobody would then close.
    if (successor != null) {
      other.close();
      throw new ConcurrentModificationException("another thread writes to the index");
    }
  }

  /** Returns whether this memory and the memory that replaced it have been freed. */
  public boolean isClosed() {
    if (arena.scope().isAlive() && !isLeft) {
      return false;
    }
    Region next = successor;
    return next == null || next.isClosed();
  }

  /**
   * Frees this memory, or the memory that replaced it. A second call does nothing. Waits for calls
   * to the system that other threads have made with it.
   */
  public void close() {
    Region next = closeThis();
    while (next != null) {
      next = next.closeThis();
    }
  }

  private synchronized @Nullable Region closeThis() {
    closeArenas();
    return successor;
  }

  private void closeArenas() {
    for (Region each = this; each != null; each = each.outgrown) {
      each.closeArena();
    }
  }

  private synchronized void closeArena() {
    while (arena.scope().isAlive()) {
      try {
        arena.close();
      } catch (IllegalStateException inUse) {
        // A call to the system, as another thread makes it when the memory grows, keeps it alive.
        LockSupport.parkNanos(NAP_NANOS);
      }
    }
  }
}
