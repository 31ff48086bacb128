// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.memory.Words;
import dev.espalier.support.Waits;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * The first word of every node: its version, and who is at it.
 *
 * <pre>
 *  63                        3      2         1          0
 *  | version                 | gone | changing | latched |
 * </pre>
 *
 * A writer latches a node, and nobody else changes it. Readers may read it meanwhile, except while
 * its bytes change. A node that is gone has left the tree. Every latch that is given back makes the
 * version grow, and a node keeps its version when it is used again; so the word is never twice the
 * same, and whoever finds it unchanged has read a node that was.
 */
final class Versions {
  private static final long LATCHED = 1;
  private static final long CHANGING = 2;
  private static final long GONE = 4;
  private static final long STEP = 8;

  /** What a count of changes has for each that is under way. */
  private static final long UNDER_WAY = 1;

  /** What it has for each that was ever begun. */
  private static final long COUNTED = 1 << 16;

  /** Tries before a thread gives way: more than a change of one node takes. */
  private static final int SPINS = 256;

  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private Versions() {}

  // ---------------------------------------------------------------- read

  /** Reads the word of a node that is about to be read. */
  static long read(MemorySegment nodes, long node) {
    return Words.getLongAcquire(nodes, node);
  }

  /** Tells whether a node with this word can be read: it is in the tree, and not being changed. */
  static boolean isReadable(long word) {
    return (word & (CHANGING | GONE)) == 0;
  }

  /** Tells whether all that was read of a node since it had a word was of that version. */
  static boolean isStill(MemorySegment nodes, long node, long word) {
    endReads();
    return is(nodes, node, word);
  }

  /** Lets all that was read so far be read before the words that are looked at afterwards. */
  static void endReads() {
    VarHandle.acquireFence();
  }

  /** Tells whether a node has a word. */
  static boolean is(MemorySegment nodes, long node, long word) {
    return Words.getLong(nodes, node) == word;
  }

  // ---------------------------------------------------------------- write

  /** Latches a node whose word is still what it was, unless another has the latch. */
  static boolean tryLatch(MemorySegment nodes, long node, long word) {
    return (word & LATCHED) == 0 && Words.compareAndSetLong(nodes, node, word, word | LATCHED);
  }

  /** Waits for the latch of a node; returns false if the node is gone. */
  static boolean latch(MemorySegment nodes, long node) {
    for (int tries = 0; ; tries++) {
      long word = read(nodes, node);
      if ((word & GONE) != 0) {
        return false;
      }
      if (tryLatch(nodes, node, word)) {
        return true;
      }
      pause(tries);
    }
  }

  /** Gives a latch back. Only its holder changes the word, so there is nothing to compare with. */
  static void unlatch(MemorySegment nodes, long node) {
    long word = Words.getLong(nodes, node);
    Words.putLongRelease(nodes, node, (word & ~(LATCHED | CHANGING)) + STEP);
  }

  /** Keeps readers off a node, whose latch this thread has, while its bytes change. */
  static void beginChange(MemorySegment nodes, long node) {
    Words.putLong(nodes, node, Words.getLong(nodes, node) | CHANGING);
    VarHandle.releaseFence();
  }

  /** Lets readers see the node as it is now. */
  static void endChange(MemorySegment nodes, long node) {
    long word = Words.getLong(nodes, node);
    Words.putLongRelease(nodes, node, (word & ~CHANGING) + STEP);
  }

  /** Says that a latched node has left the tree, and gives the latch back. */
  static void retire(MemorySegment nodes, long node) {
    long word = Words.getLong(nodes, node);
    Words.putLongRelease(nodes, node, ((word & ~LATCHED) | GONE) + STEP);
    VarHandle.fullFence(); // What is written to the node from now on comes after.
  }

  /** Gives a node that nobody has seen its first word, with the latch for this thread. */
  static void begin(MemorySegment nodes, long node) {
    Words.putLong(nodes, node, LATCHED);
  }

  /** Takes a node that is gone for use again, with the latch for this thread. */
  static void reuse(MemorySegment nodes, long node) {
    long word = Words.getLong(nodes, node);
    Words.putLong(nodes, node, ((word & ~GONE) | LATCHED) + STEP);
    VarHandle.releaseFence();
  }

  /** Tells whether the word is that of a node in a tree where nobody is at work. */
  static boolean isAtRest(long word) {
    return (word & (LATCHED | CHANGING | GONE)) == 0;
  }

  // ---------------------------------------------------------------- count

  /** Counts a change that begins, where changes are counted: before anything changes. */
  static void countBegin(MemorySegment nodes, long counter) {
    Words.getAndAddLong(nodes, counter, COUNTED + UNDER_WAY);
  }

  /** Counts a change as ended. */
  static void countEnd(MemorySegment nodes, long counter) {
    Words.getAndAddLong(nodes, counter, -UNDER_WAY);
  }

  /**
   * Tells whether no change that is counted was under way at any time since the count was read; all
   * that was read since is then of one moment.
   */
  static boolean noneSince(MemorySegment nodes, long counter, long count) {
    endReads();
    return is(nodes, counter, count) && (count & (COUNTED - 1)) == 0;
  }

  // ---------------------------------------------------------------- wait

  /** Waits a little, and longer after many tries. */
  static void pause(int tries) {
    if (tries < SPINS) {
      Thread.onSpinWait();
    } else {
      Waits.nap(NAP_NANOS);
    }
  }
}
