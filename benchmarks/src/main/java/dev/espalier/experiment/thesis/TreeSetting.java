// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.simulation.HierarchyShape;
import dev.espalier.simulation.MemoryHierarchy;
import java.util.function.BiConsumer;

/**
 * A pB+-tree to be measured.
 *
 * @param series what it is called in the rows
 * @param width of all nodes, in cache lines
 * @param distance leaves that a scan fetches ahead
 * @param construction how it is filled
 * @param choices what the width leaves open
 */
record TreeSetting(
    String series, int width, int distance, Construction construction, PbPlusChoices choices) {

  /** The choices of the thesis: whole nodes are prefetched, then searched by binary search. */
  static final PbPlusChoices AS_IN_THESIS =
      PbPlusChoices.DEFAULT.withSearchPrefetch(NodePrefetch.LINEAR).withSearch(NodeSearch.BINARY);

  /** Makes the tree. */
  ConfigurablePbPlusTree build(int entries) {
    Geometry geometry = new Geometry(width, width, distance);
    ConfigurablePbPlusTree tree =
        ConfigurablePbPlusTree.create(IndexOptions.DEFAULT, geometry, choices);
    try {
      construction.fill(tree, entries);
    } catch (RuntimeException | Error failed) {
      tree.close();
      throw failed;
    }
    return tree;
  }

  /**
   * Returns simulated work on a tree of its own, which is built without being seen by the
   * simulator.
   *
   * @param name what tells it from the others of its simulation
   * @param work is given the tree and the hierarchy under it, whose caches are empty at first
   */
  SimulatedWork simulated(
      String name,
      HierarchyShape shape,
      int entries,
      BiConsumer<ConfigurablePbPlusTree, MemoryHierarchy> work) {
    return new SimulatedWork(
        name,
        () -> {
          try (ConfigurablePbPlusTree built = build(entries)) {
            return SimulatedWork.counted(shape, hierarchy -> work.accept(built, hierarchy));
          }
        });
  }

  @Override
  public String toString() {
    return series + ", " + width + " lines";
  }
}
