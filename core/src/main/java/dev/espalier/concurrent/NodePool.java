// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.IndexOptions;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryUse;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The memory of the nodes. A place that was once a node stays one of the same width, and its word
 * goes on, so that a reader who comes late finds a node there, and sees that it is another one.
 *
 * <p>Writers take nodes only as long as the memory does not have to move. For more, one has to have
 * the tree alone.
 */
final class NodePool implements MemoryUse {
  private final NodeMemory memory;

  /** For each width, the first node of a list of free ones, linked in their second word. */
  private final long[] free = new long[NodeMemory.MAX_LINES + 1];

  private long freeBytes;

  NodePool(IndexOptions options) {
    this.memory = NodeMemory.besideReaders(options.memoryLimit(), options.hugePages());
  }

  NodeMemory memory() {
    return memory;
  }

  MemorySegment segment() {
    return memory.segment();
  }

  /** Returns a latched node, with undefined contents; 0 if the memory would have to move. */
  synchronized long take(int width) {
    MemorySegment nodes = memory.segment();
    long node = free[width];
    if (node != 0) {
      free[width] = Words.getLong(nodes, node + Long.BYTES);
      freeBytes -= bytes(width);
      Versions.reuse(nodes, node);
      return node;
    }
    if (!memory.hasRoom(width)) {
      return 0;
    }
    node = memory.allocate(width);
    Versions.begin(nodes, node);
    return node;
  }

  /**
   * Returns a latched node, for a thread that has the tree alone. The memory may move.
   *
   * @throws MemoryLimitException if there is none; nothing has changed then
   */
  synchronized long takeOrMove(int width) {
    long node = take(width);
    if (node == 0) {
      node = memory.allocate(width);
      Versions.begin(memory.segment(), node);
    }
    return node;
  }

  /**
   * Takes nodes side by side, without words, for a thread that has the tree alone; of memory in
   * which nodes never were free. The memory may move.
   *
   * @return the first
   * @throws MemoryLimitException if there is no memory; some may have been taken then
   */
  synchronized long takeAll(int width, long count) {
    long first = memory.allocate(width);
    for (long i = 1; i < count; i++) {
      memory.allocate(width);
    }
    return first;
  }

  /**
   * Adds a node to the free ones, for a thread that has the tree alone. The memory may move.
   *
   * @throws MemoryLimitException if there is no memory; nothing has changed then
   */
  synchronized void add(int width) {
    long node = memory.allocate(width);
    Versions.begin(memory.segment(), node);
    free(node, width);
  }

  /** Takes a latched node back that has left the tree, or never came into it. */
  synchronized void free(long node, int width) {
    MemorySegment nodes = memory.segment();
    Versions.retire(nodes, node);
    Words.putLong(nodes, node + Long.BYTES, free[width]);
    free[width] = node;
    freeBytes += bytes(width);
  }

  /** Frees all nodes, for a thread that has the tree alone. */
  synchronized void clear() {
    memory.clear();
    forget();
  }

  /** Starts anew in other memory, for a thread that has the tree alone; see {@link #free}. */
  synchronized NodeMemory.Left leave() {
    NodeMemory.Left left = memory.leave();
    forget();
    return left;
  }

  /** Frees memory that was left. */
  synchronized void free(NodeMemory.Left left) {
    left.arena().close();
    memory.countElsewhere(-left.bytes());
  }

  /**
   * Counts bytes outside of this memory against its limit.
   *
   * @return how many, from {@code least} to {@code wanted}; 0 if there is no room
   */
  synchronized long grant(long least, long wanted) {
    long bytes = Math.min(wanted, memory.limit() - memory.committedBytes());
    return bytes >= least && memory.countElsewhere(bytes) ? bytes : 0;
  }

  /** Counts bytes outside of this memory that may exceed its limit. */
  synchronized void grantBeyondLimit(long bytes) {
    memory.countBeyondLimit(bytes);
  }

  /** Counts bytes as given back that were granted. */
  synchronized void giveBack(long bytes) {
    memory.countElsewhere(-bytes);
  }

  /** Takes over the memory of another pool, which must not be used afterwards. */
  synchronized void adopt(NodePool other) {
    memory.adopt(other.memory);
    System.arraycopy(other.free, 0, free, 0, free.length);
    freeBytes = other.freeBytes;
  }

  private void forget() {
    Arrays.fill(free, 0);
    freeBytes = 0;
  }

  private static long bytes(int width) {
    return (long) width << CacheLine.SHIFT;
  }

  @Override
  public synchronized long usedBytes() {
    return memory.usedBytes() - freeBytes;
  }

  @Override
  public synchronized long committedBytes() {
    return memory.committedBytes();
  }

  @Override
  public boolean hugePagesGranted() {
    return memory.hugePagesGranted();
  }
}
