// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.tree.Structures;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The internal jump-pointer array: the leaves' parents, which are chained in both directions. */
class LeafPlaceTest {
  private final PbPlusTree index = PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1, 3));
  private final BPlusStructure tree = Structures.of(index, BPlusStructure.class);

  /** A leaf and where it is. */
  private record Leaf(long node, long parent, int slot) {}

  private final List<Leaf> leaves = new ArrayList<>();

  @BeforeEach
  void fill() {
    LongStream.range(0, 300).map(i -> i * 7919 % 300).forEach(key -> index.put(key, key));
    collect(tree.root, tree.height - 1);
    long parents = leaves.stream().mapToLong(Leaf::parent).distinct().count();
    assertTrue(parents > 10 && leaves.size() > 2 * parents, parents + " parents");
  }

  @AfterEach
  void close() {
    index.close();
  }

  private void collect(long node, int level) {
    InnerNode inner = tree.inner;
    for (int slot = 0; slot <= inner.count(tree.nodes, node); slot++) {
      long child = inner.child(tree.nodes, node, slot);
      if (level == 1) {
        leaves.add(new Leaf(child, node, slot));
      } else {
        collect(child, level - 1);
      }
    }
  }

  @Test
  void placeGoesForwardsFromAnyLeafToTheLast() {
    for (int from = 0; from < leaves.size(); from++) {
      LeafPlace place = start(leaves.get(from));
      for (int next = from + 1; next < leaves.size(); next++) {
        assertStep(leaves.get(next).node(), place, LeafPlace.FORWARD);
      }
      assertStep(0, place, LeafPlace.FORWARD);
      assertStep(0, place, LeafPlace.FORWARD);
    }
  }

  @Test
  void placeGoesBackwardsFromAnyLeafToTheFirst() {
    for (int from = 0; from < leaves.size(); from++) {
      LeafPlace place = start(leaves.get(from));
      for (int next = from - 1; next >= 0; next--) {
        assertStep(leaves.get(next).node(), place, LeafPlace.BACKWARD);
      }
      assertStep(0, place, LeafPlace.BACKWARD);
      assertStep(0, place, LeafPlace.BACKWARD);
    }
  }

  @Test
  void placeTurnsBetweenTwoParents() {
    for (int at = 1; at < leaves.size(); at++) {
      LeafPlace place = start(leaves.get(at));
      for (int turn = 0; turn < 3; turn++) {
        assertStep(leaves.get(at - 1).node(), place, LeafPlace.BACKWARD);
        assertStep(leaves.get(at).node(), place, LeafPlace.FORWARD);
      }
    }
  }

  private LeafPlace start(Leaf leaf) {
    LeafPlace place = new LeafPlace(tree);
    place.start(leaf.parent(), leaf.slot());
    return place;
  }

  private void assertStep(long expected, LeafPlace place, int direction) {
    assertEquals(expected, place.step(tree.nodes, direction));
  }
}
