// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Nodes as they were when a snapshot was taken, copied before they were changed, and where the copy
 * of a node is. Copies lie in blocks, which are freed together.
 *
 * <p>Any number of threads may look for copies while others make them.
 */
final class NodeCopies {
  /** What a copy is for. */
  enum Need {
    /** A change that is refused if the limit leaves no room. */
    WITHIN_LIMIT,
    /** A removal, which only the system may refuse. */
    BEYOND_LIMIT
  }

  /** The place of a copy that does not exist. */
  static final long NONE = 0;

  private static final long FIRST_BLOCK_BYTES = 16 << 10;

  /** Blocks stay so small that the last one wastes little. */
  private static final long MOST_BLOCK_BYTES = 4 << 20;

  private static final int CHUNK_SHIFT = 9;
  private static final int CHUNK_LINES = 1 << CHUNK_SHIFT;

  private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(long[][].class);
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(long[].class);

  private final NodePool pool;

  /** Where the nodes end that there were. */
  private final long end;

  /**
   * For each line at which a node may begin, the place of its copy: the number of its block, from
   * 1, and in the lower half its offset there. A chunk of lines is made when it is needed.
   */
  private final long[][] places;

  private Region[] blocks = new Region[0];
  private long blockEnd;
  private long usedBytes;
  private long blockBytes;
  private boolean isClosed;

  NodeCopies(NodePool pool) {
    this.pool = pool;
    this.end = pool.memory().endOffset();
    this.places = new long[Math.toIntExact((end >>> (CacheLine.SHIFT + CHUNK_SHIFT)) + 1)][];
  }

  /** Returns where the copy of a node is, or {@link #NONE}. */
  long placeOf(long node) {
    long line = node >>> CacheLine.SHIFT;
    long[] chunk = (long[]) CHUNK.getAcquire(places, (int) (line >>> CHUNK_SHIFT));
    return chunk == null ? NONE : (long) PLACE.getAcquire(chunk, (int) line & (CHUNK_LINES - 1));
  }

  /** Returns the memory in which the copy at a place is. */
  MemorySegment memoryOf(long place) {
    return blocks[(int) (place >>> 32) - 1].segment();
  }

  /** Returns the offset of the copy at a place. */
  static long offsetOf(long place) {
    return place & 0xffff_ffffL;
  }

  /**
   * Copies a latched node that is about to change, unless it has a copy or was not there yet.
   *
   * @param need how much the copy is needed
   * @return false if there is no memory for it
   */
  boolean keep(MemorySegment nodes, long node, int width, Need need) {
    if (node >= end || placeOf(node) != NONE) {
      return true;
    }
    long bytes = (long) width << CacheLine.SHIFT;
    long place = allocate(bytes, need);
    if (place == NONE) {
      return false;
    }
    Words.copy(nodes, node, memoryOf(place), offsetOf(place), bytes);
    long line = node >>> CacheLine.SHIFT;
    long[] chunk = chunk((int) (line >>> CHUNK_SHIFT));
    PLACE.setRelease(chunk, (int) line & (CHUNK_LINES - 1), place);
    VarHandle.releaseFence(); // Whoever sees the change sees the copy.
    return true;
  }

  private synchronized long[] chunk(int number) {
    long[] chunk = places[number];
    if (chunk == null) {
      chunk = new long[CHUNK_LINES];
      CHUNK.setRelease(places, number, chunk);
    }
    return chunk;
  }

  private synchronized long allocate(long bytes, Need need) {
    if (isClosed || (blockEnd + bytes > lastBlockBytes() && !addBlock(bytes, need))) {
      return NONE;
    }
    long place = (long) blocks.length << 32 | blockEnd;
    blockEnd += bytes;
    usedBytes += bytes;
    return place;
  }

  private long lastBlockBytes() {
    return blocks.length == 0 ? 0 : blocks[blocks.length - 1].segment().byteSize();
  }

  /** Adds a block, as large as the one before twice, or as the limit allows. */
  private boolean addBlock(long least, Need need) {
    long wanted = Math.clamp(2 * lastBlockBytes(), FIRST_BLOCK_BYTES, MOST_BLOCK_BYTES);
    long bytes = pool.grant(least, wanted);
    if (bytes == 0) {
      if (need == Need.WITHIN_LIMIT) {
        return false;
      }
      bytes = Math.max(least, FIRST_BLOCK_BYTES);
      pool.grantBeyondLimit(bytes);
    }
    try {
      Region block = Region.small(bytes);
      blocks = Arrays.copyOf(blocks, blocks.length + 1);
      blocks[blocks.length - 1] = block;
      blockBytes += bytes;
      blockEnd = 0;
      return true;
    } catch (MemoryLimitException _) {
      pool.giveBack(bytes);
      return false; // The system has no more.
    }
  }

  /** Returns the bytes of all copies. */
  synchronized long usedBytes() {
    return usedBytes;
  }

  /** Returns the bytes of all blocks. */
  synchronized long blockBytes() {
    return blockBytes;
  }

  /** Frees the copies. */
  synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    for (Region block : blocks) {
      block.close();
    }
    pool.giveBack(blockBytes);
    blockBytes = 0;
    usedBytes = 0;
  }
}
