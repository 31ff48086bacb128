// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import dev.espalier.memory.Trace;
import java.util.Arrays;

/**
 * The two-level memory of Aggarwal and Vitter's external-memory model, as the ideal-cache model has
 * it: a fast memory of some blocks, a slow one of any size, and nothing counts but the blocks that
 * go from one to the other. Give it to {@link Trace#to}, run operations, and read the {@link
 * #transfers}.
 *
 * <p>An access to a block that is not in fast memory brings it in, also if all of it is about to be
 * overwritten. If fast memory is full, the least recently used block makes way, and is transferred
 * out if it was changed. Blocks are never written before that. Prefetches are no accesses: they
 * bring in early what is brought in anyway.
 *
 * <p>Memory that is allocated is never in fast memory, even where other memory was before: the
 * blocks of that one make way like others. So the counts do not depend on the addresses that the
 * system gives again.
 *
 * <p>What an index has on the Java heap is not traced, and so is in fast memory, beside the bytes
 * that this one is given. Not safe for use by several threads.
 */
public final class TwoLevelMemory implements Trace.Listener {
  /* Overview
   *
   * A frame holds a block, or nothing at first. Frames are in a circle: from the one used longest ago,
   * or not at all, over those used ever later to the latest, and on to the first again. So the frame
   * that makes way is the one after the latest, and becomes the latest where it is. A frame with a
   * block is also in the chain of its block's bucket.
   */

  /** No frame, and no block of a 64-bit address space in blocks of two bytes or more. */
  private static final int NONE = -1;

  /** The golden ratio's fraction: it spreads neighbours over the buckets. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final int blockShift;
  private final int bucketShift;

  /** By frame: the block in it. */
  private final long[] blocks;

  private final boolean[] changed;

  /** By frame: the next one in the circle, and the one before it. */
  private final int[] later;

  private final int[] earlier;

  /** By bucket its first frame, and by frame the next of its bucket. */
  private final int[] firsts;

  private final int[] nexts;

  private int latest;

  /** What the next block of freed memory is called: no address leads there. */
  private long nextFreed = NONE - 1;

  private long in;
  private long out;

  /**
   * Makes one whose fast memory is empty.
   *
   * @param bytes of the fast memory: as many blocks as fit, one at least
   * @param blockBytes a power of two
   */
  public TwoLevelMemory(long bytes, int blockBytes) {
    if (blockBytes < 2 || Integer.bitCount(blockBytes) != 1) {
      throw new IllegalArgumentException(
          "blockBytes is " + blockBytes + "; it must be a power of two from 2 on");
    }
    if (bytes < blockBytes || bytes / blockBytes > 1 << 28) {
      throw new IllegalArgumentException(
          bytes + " bytes are not from 1 to 2^28 blocks of " + blockBytes);
    }
    int frames = (int) (bytes / blockBytes);
    int bucketBits = Integer.SIZE - Integer.numberOfLeadingZeros(frames);
    this.blockShift = Integer.numberOfTrailingZeros(blockBytes);
    this.bucketShift = Long.SIZE - bucketBits;
    this.blocks = new long[frames];
    this.changed = new boolean[frames];
    this.later = new int[frames];
    this.earlier = new int[frames];
    this.firsts = new int[1 << bucketBits];
    this.nexts = new int[frames];
    Arrays.fill(blocks, NONE);
    Arrays.fill(firsts, NONE);
    Arrays.setAll(later, frame -> (frame + 1) % frames);
    Arrays.setAll(earlier, frame -> (frame + frames - 1) % frames);
  }

  /** Returns the bytes of a block. */
  public int blockBytes() {
    return 1 << blockShift;
  }

  // ---------------------------------------------------------------- accesses

  @Override
  public void read(long address, int bytes) {
    access(address, bytes, false);
  }

  @Override
  public void write(long address, int bytes) {
    access(address, bytes, true);
  }

  /** Does nothing: a prefetch asks for what will be accessed. */
  @Override
  public void prefetch(long address, int lines) {}

  @Override
  public void allocated(long address, long bytes) {
    long first = address >>> blockShift;
    long last = (address + bytes - 1) >>> blockShift;
    if (last - first < blocks.length) {
      for (long block = first; block <= last; block++) {
        int frame = frame(block);
        if (frame != NONE) {
          callFreed(frame);
        }
      }
    } else {
      for (int frame = 0; frame < blocks.length; frame++) {
        if (blocks[frame] >= first && blocks[frame] <= last) {
          callFreed(frame);
        }
      }
    }
  }

  private void callFreed(int frame) {
    leaveBucket(frame);
    enterBucket(frame, nextFreed--);
  }

  private void access(long address, int bytes, boolean changes) {
    if (bytes == 0) {
      return;
    }
    long last = (address + bytes - 1) >>> blockShift;
    for (long block = address >>> blockShift; block <= last; block++) {
      if (blocks[latest] != block) {
        use(block);
      }
      changed[latest] |= changes;
    }
  }

  /** Makes a block that is not the latest the latest. */
  private void use(long block) {
    int frame = frame(block);
    if (frame == NONE) {
      frame = later[latest];
      evict(frame);
      enterBucket(frame, block);
      in++;
    } else if (frame != later[latest]) {
      moveBehindLatest(frame);
    }
    latest = frame;
  }

  /** Returns the frame that a block is in, or {@link #NONE}. */
  private int frame(long block) {
    int frame = firsts[bucket(block)];
    while (frame != NONE && blocks[frame] != block) {
      frame = nexts[frame];
    }
    return frame;
  }

  private int bucket(long block) {
    return (int) ((block * GOLDEN) >>> bucketShift);
  }

  private void evict(int frame) {
    if (blocks[frame] == NONE) {
      return;
    }
    if (changed[frame]) {
      out++;
      changed[frame] = false;
    }
    leaveBucket(frame);
  }

  private void enterBucket(int frame, long block) {
    int bucket = bucket(block);
    blocks[frame] = block;
    nexts[frame] = firsts[bucket];
    firsts[bucket] = frame;
  }

  private void leaveBucket(int frame) {
    int bucket = bucket(blocks[frame]);
    if (firsts[bucket] == frame) {
      firsts[bucket] = nexts[frame];
      return;
    }
    int before = firsts[bucket];
    while (nexts[before] != frame) {
      before = nexts[before];
    }
    nexts[before] = nexts[frame];
  }

  private void moveBehindLatest(int frame) {
    later[earlier[frame]] = later[frame];
    earlier[later[frame]] = earlier[frame];
    int earliest = later[latest];
    later[latest] = frame;
    earlier[frame] = latest;
    later[frame] = earliest;
    earlier[earliest] = frame;
  }

  // ---------------------------------------------------------------- counters

  /** Returns what has been counted so far. */
  public Transfers transfers() {
    return new Transfers(in, out);
  }

  /** Counts from 0 again; what is in fast memory stays there. */
  public void reset() {
    in = 0;
    out = 0;
  }
}
