// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.Locale;

/**
 * The costs of operations of a B+-tree and of a PIO B-tree on a device, with limited memory. They
 * are what {@link PioEquations} approximates, computed level by level, and include what the paper
 * leaves out. All methods are pure functions and take a few microseconds.
 *
 * @param times the device, for pages of {@code pageBytes}
 * @param entries number of entries
 * @param pageBytes size of a page, at least 256
 * @param utilization how full nodes are, from 0.1 to 1
 * @param memoryPages pages of memory, for pool and operation queue together
 * @param batchCount the most operations of a batch update: bcnt
 * @param logWrite time of the log for each update; 0 without a log
 */
public record PioCosts(
    DeviceTimes times,
    long entries,
    int pageBytes,
    double utilization,
    int memoryPages,
    int batchCount,
    double logWrite) {
  /* Overview: what differs from the equations
   *
   *   Heights are whole, and leaves have the entries of L pages. Inner nodes list all pages of each
   *   leaf, so F depends on L. Memory holds the pages used last. The paper fills what the queue leaves
   *   of it from the root down; but leaves pass through it as well, and take room from inner nodes. A
   *   search looks into a page of the queue, too, which is in memory or not as nodes are: a queue that
   *   is a large part of memory slows searches down. Batch updates are taken to have what the queue
   *   leaves. A leaf's pages that have nothing yet are not read.
   *
   *   A batch of b operations, out of a queue of Q, goes to a range of keys, and the next batch to the
   *   range behind it. When the range's turn comes, its operations have waited for the longest, so
   *   there are more of them there than elsewhere: the range is b / (2Q - b) of all keys, and not
   *   b / Q. Of n nodes in it, b random keys meet n (1 - (1 - 1/n)^b). The paper's G is the limit of
   *   b / (nodes met), but for the turn, where one of b and n is much larger than the other.
   *
   *   A leaf splits for every 0.3 L pages of operations: it is then read whole, and two are written. A
   *   leaf of the B+-tree splits as often, and two pages more are written.
   *
   *   A changed page of the B+-tree is written when it leaves the pool.
   */

  /** Part of a leaf that is filled between two splits, as nodes are 70% full. */
  private static final double FILLED_BETWEEN_SPLITS = 0.3;

  /** The queue has at most half of the memory. */
  private static final int LEAST_MEMORY_BY_QUEUE = 2;

  /** An inner node with fewer children is hardly one. */
  private static final int LEAST_FANOUT = 4;

  private static final int PAGE_HEADER_BYTES = 32;
  private static final int OPERATION_BYTES = 2 * Long.BYTES + Short.BYTES;
  private static final int ENTRY_BYTES = 2 * Long.BYTES;
  private static final int CHILD_BYTES = Long.BYTES + Integer.BYTES;

  /**
   * A geometry for a mix of work.
   *
   * @param leafPages L
   * @param queuePages O
   * @param cost average time of an operation
   * @param reason why, in a sentence
   */
  public record Choice(int leafPages, int queuePages, double cost, String reason) {}

  /**
   * The pages that an operation reads and writes on average.
   *
   * @param read pages read
   * @param written pages written
   */
  public record Transfers(double read, double written) {}

  /**
   * Checks the parameters.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public PioCosts {
    check("entries", entries, 1);
    check("pageBytes", pageBytes, 256);
    check("memoryPages", memoryPages, 2);
    check("batchCount", batchCount, 1);
    if (!(utilization >= 0.1 && utilization <= 1)) {
      throw new IllegalArgumentException(
          "utilization is " + utilization + "; it must be from 0.1 to 1");
    }
    if (!(logWrite >= 0 && logWrite < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "logWrite is " + logWrite + "; it must be finite and not negative");
    }
  }

  private static void check(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s is %d; it must be at least %d".formatted(name, value, least));
    }
  }

  // ---------------------------------------------------------------- pages

  /** Returns how many operations a page holds. */
  public int operationsPerPage() {
    return (pageBytes - PAGE_HEADER_BYTES) / OPERATION_BYTES;
  }

  /** Returns the most children of an inner node if leaves have the given number of pages: F. */
  public int fanout(int leafPages) {
    int perChild = Long.BYTES + leafPages * Integer.BYTES;
    return (pageBytes - PAGE_HEADER_BYTES + Long.BYTES) / perChild;
  }

  /** Returns how many pages of an average leaf are in use. */
  private int usedPages(int leafPages) {
    return (int) Math.ceil(utilization * leafPages);
  }

  private BufferedLevels pioLevels(int leafPages) {
    double perLeaf = operationsPerPage() * leafPages * utilization;
    double children = fanout(leafPages) * utilization;
    return BufferedLevels.of((double) entries, perLeaf, usedPages(leafPages), children, 2);
  }

  private int entriesPerPage() {
    return (pageBytes - PAGE_HEADER_BYTES) / ENTRY_BYTES;
  }

  private BufferedLevels bPlusLevels() {
    int fanout = (pageBytes - PAGE_HEADER_BYTES) / CHILD_BYTES;
    double perLeaf = entriesPerPage() * utilization;
    return BufferedLevels.of((double) entries, perLeaf, 1, fanout * utilization, 1);
  }

  // ---------------------------------------------------------------- B+-tree

  /** Returns the pages that a search of the B+-tree reads. */
  public Transfers bPlusSearchTransfers() {
    double read = 0;
    for (double miss : bPlusLevels().misses(memoryPages)) {
      read += miss;
    }
    return new Transfers(read, 0);
  }

  /** Returns the pages that an insert into the B+-tree reads and writes. */
  public Transfers bPlusInsertTransfers() {
    BufferedLevels levels = bPlusLevels();
    double leafMiss = levels.misses(memoryPages)[levels.leafLevel()];
    double splits = 1 / (FILLED_BETWEEN_SPLITS * entriesPerPage());
    return new Transfers(bPlusSearchTransfers().read(), leafMiss * (1 + 2 * splits));
  }

  /** Returns the time of a search of the B+-tree. */
  public double bPlusSearch() {
    return bPlusSearchTransfers().read() * times.read();
  }

  /** Returns the time of an insert into the B+-tree. */
  public double bPlusInsert() {
    Transfers transfers = bPlusInsertTransfers();
    return transfers.read() * times.read() + transfers.written() * times.write() + logWrite;
  }

  // ---------------------------------------------------------------- PIO B-tree

  /** Returns the pages that a search of the PIO B-tree reads, of the queue and of each level. */
  public Transfers searchTransfers(int leafPages, int queuePages) {
    BufferedLevels levels = pioLevels(leafPages);
    double[] misses = levels.misses(memoryPages, queuePages);
    double leaf = misses[levels.leafLevel()];
    return new Transfers(missesBesideLeaf(misses, levels) + levels.leafPages() * leaf, 0);
  }

  /** Returns the time of a search of the PIO B-tree: the pages of a leaf are read together. */
  public double search(int leafPages, int queuePages) {
    BufferedLevels levels = pioLevels(leafPages);
    double[] misses = levels.misses(memoryPages, queuePages);
    double leaf = misses[levels.leafLevel()];
    return missesBesideLeaf(misses, levels) * times.read()
        + leaf * times.leafRead(levels.leafPages());
  }

  private static double missesBesideLeaf(double[] misses, BufferedLevels levels) {
    double sum = 0;
    for (int i = 0; i < misses.length; i++) {
      sum += i == levels.leafLevel() ? 0 : misses[i];
    }
    return sum;
  }

  /**
   * Returns how many operations of a batch update share a node: G.
   *
   * @param nodes how many nodes the level has
   */
  double shared(double nodes, int queuePages) {
    double queued = (double) queuePages * operationsPerPage();
    double batch = Math.min(batchCount, queued);
    double inRange = Math.max(nodes * batch / (2 * queued - batch), 1);
    double met = inRange * -Math.expm1(batch * Math.log1p(-1 / inRange));
    return batch / Math.max(met, 1);
  }

  /**
   * Returns the pages that an insert into the PIO B-tree reads and writes while leaves have room,
   * as between two splits.
   */
  public Transfers insertTransfersWithoutSplits(int leafPages, int queuePages) {
    BufferedLevels levels = pioLevels(leafPages);
    double[] misses = levels.misses(memoryPages - queuePages);
    double read = 0;
    for (int level = 0; level <= levels.leafLevel(); level++) {
      read += misses[level] / shared(levels.nodes(level), queuePages);
    }
    double written = 1 / shared(levels.nodes(levels.leafLevel()), queuePages);
    return new Transfers(read, written);
  }

  /** Returns the pages that an insert into the PIO B-tree reads and writes. */
  public Transfers insertTransfers(int leafPages, int queuePages) {
    Transfers without = insertTransfersWithoutSplits(leafPages, queuePages);
    double splits = 1 / (FILLED_BETWEEN_SPLITS * leafPages * operationsPerPage());
    return new Transfers(
        without.read() + splits * leafPages, without.written() + splits * 2 * leafPages);
  }

  /** Returns the time of an insert into the PIO B-tree. */
  public double insert(int leafPages, int queuePages) {
    Transfers transfers = insertTransfers(leafPages, queuePages);
    return transfers.read() * times.psyncRead()
        + transfers.written() * times.psyncWrite()
        + logWrite;
  }

  /** Returns the average time of an operation of the PIO B-tree. */
  public double cost(double insertRatio, int leafPages, int queuePages) {
    return (1 - insertRatio) * search(leafPages, queuePages)
        + insertRatio * insert(leafPages, queuePages);
  }

  // ---------------------------------------------------------------- choice

  /**
   * Chooses L and O for a mix of work (equation 10): the powers of two with the least cost. The
   * queue takes at most half of the memory, and has at most as many pages as fit into one page as
   * numbers.
   *
   * @param insertRatio R_i: the share of updates among the operations, from 0 to 1
   */
  public Choice choose(double insertRatio) {
    return choose(insertRatio, 1, times.mostLeafPages());
  }

  /**
   * Chooses O for a tree whose L is given, as {@link #choose(double)} does.
   *
   * @param leafPages L, from 1 to {@link DeviceTimes#mostLeafPages}
   */
  public Choice chooseQueue(double insertRatio, int leafPages) {
    return choose(insertRatio, leafPages, leafPages);
  }

  private Choice choose(double insertRatio, int leastLeaf, int mostLeaf) {
    if (!(insertRatio >= 0 && insertRatio <= 1)) {
      throw new IllegalArgumentException(
          "insertRatio is " + insertRatio + "; it must be from 0 to 1");
    }
    int mostQueue =
        Math.min(
            memoryPages / LEAST_MEMORY_BY_QUEUE, (pageBytes - PAGE_HEADER_BYTES) / Integer.BYTES);
    int leafPages = leastLeaf;
    int queuePages = 1;
    double least = cost(insertRatio, leastLeaf, 1);
    for (int leaf = leastLeaf; leaf <= mostLeaf && fanout(leaf) >= LEAST_FANOUT; leaf *= 2) {
      for (int queue = 1; queue <= mostQueue; queue *= 2) {
        double cost = cost(insertRatio, leaf, queue);
        if (cost < least) {
          least = cost;
          leafPages = leaf;
          queuePages = queue;
        }
      }
    }
    return new Choice(leafPages, queuePages, least, reason(insertRatio, leafPages, queuePages));
  }

  private String reason(double insertRatio, int leafPages, int queuePages) {
    BufferedLevels levels = pioLevels(leafPages);
    double cost = cost(insertRatio, leafPages, queuePages);
    String gain =
        cost > 0
            ? String.format(
                Locale.ROOT,
                "with leaves of one page and a queue of one page an operation of this mix takes"
                    + " %.3g times as long",
                cost(insertRatio, 1, 1) / cost)
            : "there is room for all pages in memory";
    return String.format(
        Locale.ROOT,
        "with leaves of %d pages and a queue of %d of the %d pages of memory, a search takes %.3g"
            + " and an insert %.3g, as %.3g operations share the update of a leaf; %s",
        leafPages,
        queuePages,
        memoryPages,
        search(leafPages, queuePages),
        insert(leafPages, queuePages),
        shared(levels.nodes(levels.leafLevel()), queuePages),
        gain);
  }
}
