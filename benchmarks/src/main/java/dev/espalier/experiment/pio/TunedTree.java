// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.bftl.BftlTree;
import dev.espalier.fdtree.FdTree;
import dev.espalier.memory.PageStore;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PageTimes;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.pio.PioBTree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A tree of figure 12, tuned for a mix of work on a device.
 *
 * @param label the kind of tree
 * @param variant opens it
 * @param pageBytes size of a page
 * @param writesTogether changed pages that a simulated pool writes at once
 * @param tuned how it was tuned
 */
record TunedTree(
    String label, TreeVariant variant, int pageBytes, int writesTogether, String tuned) {
  static final String B_PLUS = "B+-tree";
  static final String BFTL = "BFTL";
  static final String FD = "FD-tree";
  static final String PIO = "PIO B-tree";

  /** The rivals, each with the least and the most that the PIO B-tree is ahead of it on P300. */
  static final List<Rival> RIVALS =
      List.of(
          new Rival(BFTL, 2, 13), //
          new Rival(B_PLUS, 1.4, 10.9),
          new Rival(FD, 1.24, 1.45));

  /** Fewer pages of memory are no pool. */
  private static final int LEAST_PAGES = 32;

  /** Size ratios of the FD-tree, of which the best counts. */
  private static final int[] FD_RATIOS = {8, 16, 32, 64};

  /** Bounds of BFTL's lists, of which the best counts. */
  static final List<Integer> LIST_BOUNDS = List.of(2, 4, 8, 16);

  /** The bound that was best in most mixes on simulated devices. */
  static final List<Integer> USUAL_BOUND = List.of(8);

  private static final int PAGE_BYTES = 4 << 10;

  /** An FD-tree writes its runs in order, so many pages at once. */
  private static final int RUN_PAGES = 64;

  private static final int ENTRY_BYTES = 16;

  /** What the PIO B-tree is compared with, and the paper's factors. */
  record Rival(String label, double least, double most) {}

  /**
   * Returns all trees, tuned for some work. Of those with one label the one that turns out best
   * counts.
   *
   * @param listBounds bounds of BFTL's lists
   */
  static List<TunedTree> all(DeviceProfile device, PioWork work, List<Integer> listBounds) {
    List<TunedTree> trees = new ArrayList<>();
    trees.add(bPlus(device, work));
    trees.addAll(bftl(work, listBounds));
    trees.addAll(fd(work));
    trees.add(pio(device, work));
    return trees;
  }

  /** Returns what the tree's pool may have of the memory: what BFTL's buffer leaves of it. */
  long poolBytes(long memoryBytes) {
    long bufferBytes = label.equals(BFTL) ? (long) bufferPages(memoryBytes) * PAGE_BYTES : 0;
    return memoryBytes - bufferBytes;
  }

  /** Half of the memory is for BFTL's reservation buffer, up to the most. */
  private static int bufferPages(long memoryBytes) {
    return Math.clamp(memoryBytes / PAGE_BYTES / 2, 1, BftlTree.Geometry.MOST_BUFFER_PAGES);
  }

  /** The B+-tree with the node size of the greatest utility by cost (equation 3). */
  private static TunedTree bPlus(DeviceProfile device, PioWork work) {
    PageTimes best = device.pages().getFirst();
    for (PageTimes times : device.pages()) {
      boolean hasRoom = work.memoryBytes() / times.pageBytes() >= LEAST_PAGES;
      best = hasRoom && utilityByCost(times) > utilityByCost(best) ? times : best;
    }
    String tuned =
        "nodes of %d bytes have the greatest utility by cost".formatted(best.pageBytes());
    return new TunedTree(B_PLUS, DiskOptimizedBPlusTree.VARIANT, best.pageBytes(), 1, tuned);
  }

  static double utilityByCost(PageTimes times) {
    return Math.log((double) times.pageBytes() / ENTRY_BYTES) / times.reads().getFirst();
  }

  private static List<TunedTree> bftl(PioWork work, List<Integer> listBounds) {
    int bufferPages = bufferPages(work.memoryBytes());
    List<TunedTree> trees = new ArrayList<>();
    for (int bound : listBounds) {
      BftlTree.Geometry geometry = new BftlTree.Geometry(bufferPages, bound);
      TreeVariant variant =
          tuned(BftlTree.VARIANT, (options, store) -> BftlTree.open(options, store, geometry));
      String tuned = "lists of %d, buffer of %d pages".formatted(bound, bufferPages);
      trees.add(new TunedTree(BFTL, variant, PAGE_BYTES, 1, tuned));
    }
    return trees;
  }

  private static TreeVariant tuned(
      TreeVariant usual, BiFunction<IndexOptions, PageStore, LongIndex> opener) {
    return new TreeVariant(
        usual.name(), usual.paper(), usual.medium(), usual.capabilities(), usual.factory(), opener);
  }

  /** FD-trees with half of the memory for their head trees. */
  private static List<TunedTree> fd(PioWork work) {
    int headPages = (int) Math.max(work.memoryBytes() / PAGE_BYTES / 2, 1);
    List<TunedTree> trees = new ArrayList<>();
    for (int ratio : FD_RATIOS) {
      FdTree.Geometry geometry = new FdTree.Geometry(ratio, headPages);
      TreeVariant variant =
          tuned(FdTree.VARIANT, (options, store) -> FdTree.open(options, store, geometry));
      String tuned = "ratio %d, best of several, head tree of %d pages".formatted(ratio, headPages);
      trees.add(new TunedTree(FD, variant, PAGE_BYTES, RUN_PAGES, tuned));
    }
    return trees;
  }

  private static TunedTree pio(DeviceProfile device, PioWork work) {
    PioChoice choice = PioChoice.of(device, work);
    return new TunedTree(PIO, PioBTree.tuned(device, work), choice.pageBytes(), 1, choice.reason());
  }
}
