// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putShort;

import java.lang.foreign.MemorySegment;

/**
 * What the page header keeps of the in-page tree, from some offset on that follows from the kind of
 * page:
 *
 * <pre>
 *  offset                                                    offset + 12, rounded up to 8
 *  | root | first leaf | last leaf | above | below | inserts | recent |
 *    short  short        short       short   short   short     long
 * </pre>
 *
 * All but the last two are lines of the page. Nodes are given out upwards from the root to the
 * page's end, and then from the line behind the header up to the root: the next ones are {@code
 * above} and {@code below}.
 *
 * <p>Inserts are those since the page was stored last, as far as a short counts. Recent has hashes
 * of four keys that were inserted lately, the last one lowest: of every seventh. Both are hints,
 * from which follows how a page makes room; anything may be there.
 */
public final class InPageTreeHeader {
  private final int root;
  private final int firstLeaf;
  private final int lastLeaf;
  private final int above;
  private final int below;
  private final int inserts;
  private final int recent;

  /** How many keys are noted. */
  static final int NOTED = Long.SIZE / Short.SIZE;

  /**
   * One in so many keys is noted, so that of a few of them those before reach back far. It is an
   * odd number: of two streams that take turns, each has some.
   */
  static final int SAMPLING = 7;

  /** The most inserts that are counted. */
  private static final int MOST_INSERTS = 0xffff;

  /** One in each short of a long. */
  private static final long EACH_SHORT = 0x0001_0001_0001_0001L;

  /** 2^64 divided by the golden ratio: the upper bits of a product with it depend on all bits. */
  private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

  public InPageTreeHeader(int offset) {
    this.root = offset;
    this.firstLeaf = root + Short.BYTES;
    this.lastLeaf = firstLeaf + Short.BYTES;
    this.above = lastLeaf + Short.BYTES;
    this.below = above + Short.BYTES;
    this.inserts = below + Short.BYTES;
    this.recent = (inserts + Short.BYTES + Long.BYTES - 1) & -Long.BYTES;
  }

  public int root(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + root);
  }

  public void root(MemorySegment pages, long page, int line) {
    putShort(pages, page + root, line);
  }

  public int firstLeaf(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + firstLeaf);
  }

  public void firstLeaf(MemorySegment pages, long page, int line) {
    putShort(pages, page + firstLeaf, line);
  }

  public int lastLeaf(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + lastLeaf);
  }

  public void lastLeaf(MemorySegment pages, long page, int line) {
    putShort(pages, page + lastLeaf, line);
  }

  public int above(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + above);
  }

  public void above(MemorySegment pages, long page, int line) {
    putShort(pages, page + above, line);
  }

  public int below(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + below);
  }

  public void below(MemorySegment pages, long page, int line) {
    putShort(pages, page + below, line);
  }

  /** Returns the inserts since the page was stored last, or the most that are counted. */
  public int inserts(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + inserts);
  }

  /** Notes that a page has been stored: no insert has come since. */
  public void noteStored(MemorySegment pages, long page) {
    putShort(pages, page + inserts, 0);
  }

  /** Notes the insert of an entry. */
  public void noteInsert(MemorySegment pages, long page, long key) {
    int before = inserts(pages, page);
    if (before % SAMPLING == 0) {
      putLong(pages, page + recent, getLong(pages, page + recent) << Short.SIZE | hash(key));
    }
    putShort(pages, page + inserts, before < MOST_INSERTS ? before + 1 : before - SAMPLING);
  }

  private static long hash(long key) {
    return (key * GOLDEN) >>> (Long.SIZE - Short.SIZE);
  }

  /**
   * Returns the hashes of keys that were inserted lately, one in each short; what has not been is
   * 0.
   */
  long recent(MemorySegment pages, long page) {
    return getLong(pages, page + recent);
  }

  /** Tells whether a key has one of the hashes: whether one short of the differences is 0. */
  static boolean isAmong(long hashes, long key) {
    long differences = hashes ^ (hash(key) * EACH_SHORT);
    long highest = EACH_SHORT << (Short.SIZE - 1);
    return ((differences - EACH_SHORT) & ~differences & highest) != 0;
  }

  /** Notes for a page what was inserted last into another, whose entries it takes over. */
  void copyRecent(MemorySegment pages, long page, long to) {
    putLong(pages, to + recent, getLong(pages, page + recent));
  }
}
