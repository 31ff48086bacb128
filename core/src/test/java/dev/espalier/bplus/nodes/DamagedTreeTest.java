// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of nodes overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedTreeTest {
  @Test
  void smallestNodesSurvive() {
    TreeDamage.inflictAndUse(600, 300, () -> BPlusTree.create(IndexOptions.DEFAULT, 1));
    TreeDamage.inflictAndUse(
        600, 300, () -> PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 2, 3)));
  }

  @Test
  void wideNodesSurvive() {
    TreeDamage.inflictAndUse(300, 4_000, () -> BPlusTree.create(IndexOptions.DEFAULT, 8));
    TreeDamage.inflictAndUse(300, 4_000, () -> PbPlusTree.create(IndexOptions.DEFAULT));
  }

  /** Behind the nodes lie gigabytes of address space, where a wild count or offset may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    TreeDamage.inflictAndUse(25, 150_000, () -> BPlusTree.create(IndexOptions.DEFAULT, 4));
    TreeDamage.inflictAndUse(25, 150_000, () -> PbPlusTree.create(IndexOptions.DEFAULT));
  }
}
