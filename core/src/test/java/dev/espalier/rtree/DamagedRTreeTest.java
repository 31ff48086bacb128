// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.batch.VirtualNodes;
import dev.espalier.memory.Words;
import dev.espalier.rtree.BufferedOverlap.Choices;
import dev.espalier.rtree.RTree.Geometry;
import java.util.Collections;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Words of nodes overwritten at random: every call answers something or throws, and ends. */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedRTreeTest {
  @Test
  void smallestNodesSurvive() {
    damageAndUse(80, 300, new Geometry(3, 3));
  }

  @Test
  void wideNodesSurvive() {
    damageAndUse(40, 1_000, Geometry.DEFAULT);
    damageAndUse(10, 3_000, new Geometry(64, 64));
  }

  /** Behind the nodes lie gigabytes of address space, where a wild count or offset may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(3, 60_000, Geometry.DEFAULT);
  }

  private static void damageAndUse(int trees, int entries, Geometry geometry) {
    RectangleModel model = RectangleSets.UNIT.model(entries, new SplittableRandom(entries));
    for (long seed : TestSize.seeds(trees)) {
      try (RTree tree = RTree.create(IndexOptions.DEFAULT, geometry)) {
        model.bulkloadInto(tree, 0.75);
        SplittableRandom random = new SplittableRandom(seed);
        damage(tree.tree, random);
        use(tree, model, random);
        tree.clear();
        tree.verify();
        tree.insert(0, 0, 1, 1, 10);
        assertEquals(1, tree.overlapping(0, 0, 1, 1, value -> value == 10));
        tree.verify();
      }
    }
  }

  /** Overwrites up to 16 words, in nodes of all levels, their headers more often than the rest. */
  private static void damage(RTreeStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      int level = random.nextInt(tree.height);
      RTreeNode layout = tree.layout(level);
      long node = randomNode(tree, level, random);
      int words = layout.bytes / 8;
      int word =
          switch (random.nextInt(3)) {
            case 0 -> words - 1;
            case 1 -> random.nextInt(layout.referencesOffset / 8, words);
            default -> random.nextInt(words);
          };
      Words.putLong(tree.nodes, node + 8L * word, randomContents(tree, random));
    }
  }

  /** Goes down a random path, or as far as earlier damage lets it. */
  private static long randomNode(RTreeStructure tree, int level, SplittableRandom random) {
    long node = tree.root;
    for (int at = tree.height - 1; at > level; at--) {
      int count = tree.inner.count(tree.nodes, node);
      if (count < 1 || count > tree.inner.capacity) {
        return tree.root;
      }
      node = tree.inner.child(tree.nodes, node, random.nextInt(count));
      if (node + tree.inner.bytes + tree.leaf.bytes > tree.memory.endOffset()) {
        return tree.root;
      }
    }
    return node;
  }

  private static long randomContents(RTreeStructure tree, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> Words.getLong(tree.nodes, random.nextLong(1, tree.memory.endOffset() / 8) * 8);
      case 3 -> random.nextInt(64);
      default -> {
        long lines = tree.memory.endOffset() / 64;
        yield random.nextLong(lines) << 32 | random.nextLong(lines);
      }
    };
  }

  private static void use(RTree tree, RectangleModel model, SplittableRandom random) {
    survives(tree::verify);
    survives(tree::statistics);
    survives(() -> tree.overlapping(-10, -10, 100, 100, value -> true));
    survives(() -> tree.nearest(0, 0, Integer.MAX_VALUE));
    survives(() -> buffered(tree, random));
    for (int i = 0; i < 50; i++) {
      RectangleModel.Entry entry = model.entries.get(random.nextInt(model.entries.size()));
      Rectangle query = RectangleSets.UNIT.next(random);
      survives(() -> tree.overlapping(query, value -> true));
      survives(() -> tree.containing(query, value -> true));
      survives(() -> tree.containedIn(query, value -> true));
      survives(() -> tree.nearest(query.minX(), query.minY(), 3));
      survives(() -> tree.delete(entry.rectangle(), entry.value()));
      survives(() -> tree.insert(query, 1));
      survives(() -> tree.insert(entry.rectangle(), entry.value()));
    }
    survives(tree::verify);
  }

  /** In buffers at every level, of which some overflow. */
  private static void buffered(RTree tree, SplittableRandom random) {
    Choices choices =
        Choices.DEFAULT
            .withCapacity(10)
            .withVirtualNodes(new VirtualNodes(Collections.nCopies(tree.tree.height, 1)));
    double[] queries = new double[4 * 100];
    for (int i = 0; i < queries.length; i += 4) {
      Rectangle query = RectangleSets.UNIT.next(random);
      queries[i] = query.minX();
      queries[i + 1] = query.minY();
      queries[i + 2] = query.maxX();
      queries[i + 3] = query.maxY();
    }
    try (BufferedOverlap buffered = BufferedOverlap.over(tree, choices)) {
      buffered.overlapAll(queries, (query, value) -> true);
    }
  }

  private static void survives(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException _) {
      // As good as an answer: the tree is damaged.
    }
  }
}
