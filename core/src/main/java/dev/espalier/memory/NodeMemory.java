// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.ConcurrentModificationException;

/**
 * The native memory of one index: allocates nodes of whole cache lines, known by their offsets, up
 * to a hard limit.
 *
 * <p>It starts as a few KiB and doubles, by copying, while it is small. Once it has outgrown one
 * huge page, it moves for the last time, into reserved address space. Huge pages are requested for
 * this space before it is first touched; from then on, the memory grows by being touched. If
 * address space cannot be reserved (without native access, or outside Linux), it keeps doubling.
 *
 * <p>Moving changes {@link #segment()}, so call it again after every {@link #allocate}. Offsets do
 * not change.
 *
 * <p>Memory {@linkplain #besideReaders beside readers} reserves its address space when it first
 * moves, and does not move again within 16 GiB. What it has outgrown, it keeps until it is closed.
 *
 * <p>Reading through {@link #segment()} is safe at any time: after {@link #close}, or after a move
 * by another thread, it throws {@link IllegalStateException}. All other methods must be called by
 * one thread at a time.
 */
public final class NodeMemory implements MemoryUse, AutoCloseable {
  /** The widest node, in lines. */
  public static final int MAX_LINES = 64;

  /** The largest group of nodes that can be allocated as one, in lines: 2 MiB. */
  public static final int MAX_GROUP_LINES = 1 << 15;

  /** Size of a huge page in bytes, on x86-64 and (with 4 KiB base pages) aarch64. */
  public static final long HUGE_PAGE_BYTES = 2L << 20;

  /** Bits for a number of lines, up to {@link #MAX_GROUP_LINES}, beside the number of a line. */
  private static final int LINES_BITS = 16;

  private static final long LINES_MASK = (1 << LINES_BITS) - 1;

  private static final long INITIAL_BYTES = 4096;

  /** The offset of the first node: no node is at 0, so that 0 can mean none. */
  private static final long FIRST_OFFSET = 8L * CacheLine.BYTES;

  /** What an empty tree needs: it has that, however much of the limit is used elsewhere. */
  private static final long LEAST_BYTES = FIRST_OFFSET + MAX_LINES * CacheLine.BYTES;

  private final long limit;
  private final HugePages hugePages;

  private Region region;

  /** Where {@link #allocate} has to stop and {@link #grow}. */
  private long end;

  /** Where the next new node starts: the bytes allocated so far, including freed ones. */
  private long top;

  private long freeBytes;

  /** Bytes of the index outside of this memory, which count against its limit. */
  private long elsewhere;

  /** Whether no two free nodes lie side by side. */
  private boolean allJoined = true;

  /**
   * For each number of lines, the first node of a list of free ones (linked in their first word).
   */
  private long[] freeNodes = new long[MAX_LINES + 1];

  /**
   * Creates memory of a few KiB, in about a microsecond.
   *
   * @param limit the most bytes it may ever hold
   * @param hugePages whether to ask for huge pages
   */
  public NodeMemory(long limit, HugePages hugePages) {
    this(limit, hugePages, false);
  }

  private NodeMemory(long limit, HugePages hugePages, boolean isBesideReaders) {
    this.limit = Math.min(limit, Region.MOST_RESERVED_BYTES);
    this.hugePages = hugePages;
    this.region = first(isBesideReaders);
    forgetNodes();
  }

  /**
   * Creates memory for an index that others read while it grows. If memory moves beneath a reader,
   * the reader is told by an exception, and the JVM also sets the interrupt status of the reader's
   * thread.
   *
   * @param limit the most bytes it may ever hold; memory it has outgrown is not counted
   * @param hugePages whether to ask for huge pages
   */
  public static NodeMemory besideReaders(long limit, HugePages hugePages) {
    return new NodeMemory(limit, hugePages, true);
  }

  /**
   * Announces that others read the index while it grows, from now on. When memory moves, the old
   * memory is kept, and the new memory is in reserved address space.
   */
  public void expectReaders() {
    region.expectReaders();
  }

  private Region first(boolean isBesideReaders) {
    Region first = Region.small(Math.min(INITIAL_BYTES, limit));
    if (isBesideReaders) {
      first.expectReaders();
    }
    return first;
  }

  /** Returns the segment that holds all nodes. It is a different one after the memory has moved. */
  public MemorySegment segment() {
    return region.segment();
  }

  /**
   * Allocates a node of {@code lines} cache lines, with undefined contents, and returns its offset:
   * a multiple of the line size, never 0.
   *
   * @param lines from 1 to {@link #MAX_GROUP_LINES}; nodes that must lie together are allocated as
   *     one
   * @throws MemoryLimitException if that would exceed the limit, or the system refuses memory; in
   *     that case, nothing has changed
   */
  public long allocate(int lines) {
    long free = takeFree(lines, lines);
    if (free != 0) {
      return free;
    }
    long node = top;
    if (!hasRoom(lines)) {
      long cut = node + bytes(lines) > most() ? cutFromFree(lines) : 0;
      if (cut != 0) {
        return cut;
      }
      grow(node + bytes(lines));
    }
    top = node + bytes(lines);
    return node;
  }

  /** Returns whether a new node of {@code lines} lines fits behind the others without a move. */
  public boolean hasRoom(int lines) {
    return top + bytes(lines) <= Math.min(end, most());
  }

  /** Returns the most bytes that this memory may have now. */
  private long most() {
    return Math.max(limit - elsewhere, Math.min(LEAST_BYTES, limit));
  }

  /**
   * Takes a free node of {@code listed} lines off its list and returns its first {@code lines}
   * lines; 0 if there is none.
   */
  private long takeFree(int listed, int lines) {
    long free = listed < freeNodes.length ? freeNodes[listed] : 0;
    if (free != 0) {
      freeNodes[listed] = Words.getLong(region.segment(), free);
      freeBytes -= bytes(listed);
      if (listed > lines) {
        free(free + bytes(lines), listed - lines);
      }
    }
    return free;
  }

  /**
   * Returns the front of a wider free node, joined from several if need be; 0 if there is none.
   * Only used when memory is full, because it is slow and leaves small pieces.
   */
  private long cutFromFree(int lines) {
    long cut = takeWider(lines);
    if (cut == 0 && !allJoined) {
      joinFree();
      cut = takeWider(lines);
    }
    return cut;
  }

  private long takeWider(int lines) {
    for (int wider = lines; wider < freeNodes.length; wider++) {
      long cut = takeFree(wider, lines);
      if (cut != 0) {
        return cut;
      }
    }
    return 0;
  }

  /** Joins free nodes that lie side by side. O(n log n) for n free nodes. */
  private void joinFree() {
    long[] sorted = sortedFree();
    Arrays.fill(freeNodes, 0);
    freeBytes = 0;
    int joined = 0;
    for (int i = 0; i < sorted.length; i += joined) {
      long first = sorted[i] >>> LINES_BITS;
      long end = first + (sorted[i] & LINES_MASK);
      joined = 1;
      while (i + joined < sorted.length
          && sorted[i + joined] >>> LINES_BITS == end
          && end + (sorted[i + joined] & LINES_MASK) - first <= MAX_GROUP_LINES) {
        end += sorted[i + joined] & LINES_MASK;
        joined++;
      }
      free(first << CacheLine.SHIFT, (int) (end - first));
    }
    allJoined = true;
  }

  /** Returns the free nodes in order: the number of the first line, and how many lines. */
  private long[] sortedFree() {
    long[] found = new long[64];
    int count = 0;
    long foundBytes = 0;
    for (int lines = 1; lines < freeNodes.length; lines++) {
      for (long node = freeNodes[lines]; node != 0; node = Words.getLong(region.segment(), node)) {
        foundBytes += bytes(lines);
        if (foundBytes > freeBytes) {
          throw new ConcurrentModificationException(
              "the lists of free nodes are damaged: several threads changed the index at once");
        }
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = node >>> CacheLine.SHIFT << LINES_BITS | lines;
      }
    }
    long[] sorted = Arrays.copyOf(found, count);
    Arrays.sort(sorted);
    return sorted;
  }

  /** Frees a node that {@link #allocate} returned for the same number of lines. */
  public void free(long node, int lines) {
    if (lines >= freeNodes.length) {
      freeNodes = Arrays.copyOf(freeNodes, Math.min(2 * lines, MAX_GROUP_LINES) + 1);
    }
    Words.putLong(region.segment(), node, freeNodes[lines]);
    freeNodes[lines] = node;
    freeBytes += bytes(lines);
    allJoined = false;
  }

  /** Frees all nodes and gives the memory back to the system. */
  public void clear() {
    region = region.replacedBy(first(region.isBesideReaders()));
    forgetNodes();
  }

  private void forgetNodes() {
    top = FIRST_OFFSET;
    end = region.endFor(0);
    freeBytes = 0;
    Arrays.fill(freeNodes, 0);
  }

  /**
   * Memory that the index has left, with all its nodes: no longer part of the index, but not yet
   * freed.
   */
  public record Left(MemorySegment segment, Arena arena, long bytes) {}

  /**
   * Starts anew in other memory, and leaves the present memory to the caller, who must close its
   * arena and then report this by {@link #countElsewhere}. Until then, it counts against the limit,
   * which the new memory exceeds if there is no room for both: by no more than an empty tree needs.
   */
  public Left leave() {
    long bytes = regionBytes();
    Left left = new Left(region.segment(), region.arena(), bytes);
    region = region.leftFor(first(region.isBesideReaders()));
    forgetNodes();
    elsewhere += bytes;
    return left;
  }

  /**
   * Counts {@code more} bytes of the index that are outside of this memory or, if negative, that
   * are no longer there. Returns false, and counts nothing, if that would exceed the limit.
   */
  public boolean countElsewhere(long more) {
    if (more > 0 && more > limit - committedBytes()) {
      return false;
    }
    elsewhere += more;
    return true;
  }

  /**
   * Counts bytes of the index that are outside of this memory, though that may exceed the limit. As
   * long as it does, nothing else gets memory.
   */
  public void countBeyondLimit(long more) {
    elsewhere += more;
  }

  /**
   * Frees this memory, and takes over another one with all its nodes. The other must not be used or
   * closed afterwards.
   *
   * @throws IllegalStateException if this is closed; the other is then closed, too
   */
  public void adopt(NodeMemory other) {
    region = region.replacedBy(other.region);
    top = other.top;
    end = other.end;
    freeBytes = other.freeBytes;
    allJoined = other.allJoined;
    freeNodes = other.freeNodes;
  }

  /** Returns the number of bytes of all nodes allocated and not freed. */
  @Override
  public long usedBytes() {
    return top - FIRST_OFFSET - freeBytes;
  }

  /** Returns the offset at which the nodes allocated so far end, including freed ones. */
  public long endOffset() {
    return top;
  }

  /** Returns the number of bytes in use or kept for reuse: what counts against the limit. */
  @Override
  public long committedBytes() {
    return regionBytes() + elsewhere;
  }

  private long regionBytes() {
    return region.committedBytes(Math.max(top, Math.min(INITIAL_BYTES, limit)));
  }

  /** Returns the limit in bytes. */
  public long limit() {
    return limit;
  }

  /**
   * Returns whether the memory is reserved address space for which the system granted huge pages.
   */
  @Override
  public boolean hugePagesGranted() {
    return region.hasHugePages();
  }

  /** Returns whether {@link #close} was called. */
  public boolean isClosed() {
    return region.isClosed();
  }

  /** Frees the memory. A second call does nothing. */
  @Override
  public void close() {
    region.close();
  }

  private void grow(long needed) {
    if (needed > most()) {
      throw beyondLimit(needed);
    }
    region = region.grown(needed, top, most(), limit, hugePages);
    end = region.endFor(needed);
  }

  private MemoryLimitException beyondLimit(long needed) {
    return new MemoryLimitException(
        "the index needs "
            + (needed + elsewhere)
            + " bytes of native memory, but its limit is "
            + limit);
  }

  private static long bytes(int lines) {
    return (long) lines << CacheLine.SHIFT;
  }
}
