// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.rtree.RTree.Geometry;
import java.lang.foreign.ValueLayout;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A small tree as it lies in memory, word for word. */
class RTreeDumpTest {
  /** Two clusters, the second to come in last: a leaf of four becomes two of three and two. */
  private static RTree split() {
    RTree tree = RTree.create(IndexOptions.DEFAULT, new Geometry(3, 3));
    tree.insert(0, 0, 1, 1, 10);
    tree.insert(9, 9, 10, 10, 20);
    tree.insert(1, 1, 2, 2, 30);
    tree.insert(2, 0, 3, 1, 40);
    tree.insert(8, 8, 9, 12, 50);
    return tree;
  }

  @Test
  void splitPutsNeighboursTogether() {
    try (RTree tree = split()) {
      assertEquals(
          """
          inner @704 2/5: [0.0 0.0 3.0 2.0] [8.0 8.0 10.0 12.0]
            leaf @512 3/4: [0.0 0.0 1.0 1.0]=10 [1.0 1.0 2.0 2.0]=30 [2.0 0.0 3.0 1.0]=40
            leaf @896 2/4: [8.0 8.0 9.0 12.0]=50 [9.0 9.0 10.0 10.0]=20
          """,
          print(tree.tree));
    }
  }

  @Test
  void leafBelowItsMinimumMergesWithItsSibling() {
    try (RTree tree = split()) {
      tree.delete(9, 9, 10, 10, 20);
      tree.delete(1, 1, 2, 2, 30);
      assertEquals(
          """
          leaf @512 3/4: [0.0 0.0 1.0 1.0]=10 [8.0 8.0 9.0 12.0]=50 [2.0 0.0 3.0 1.0]=40
          """,
          print(tree.tree));
    }
  }

  @Test
  void leafBelowItsMinimumIsDividedAnewWithASiblingThatIsFull() {
    try (RTree tree = split()) {
      tree.insert(4, 0, 5, 1, 60);
      tree.delete(9, 9, 10, 10, 20);
      assertEquals(
          """
          inner @704 2/5: [4.0 0.0 9.0 12.0] [0.0 0.0 3.0 2.0]
            leaf @512 2/4: [4.0 0.0 5.0 1.0]=60 [8.0 8.0 9.0 12.0]=50
            leaf @896 3/4: [0.0 0.0 1.0 1.0]=10 [1.0 1.0 2.0 2.0]=30 [2.0 0.0 3.0 1.0]=40
          """,
          print(tree.tree));
    }
  }

  @Test
  void wordsOfALeafAndItsParentAreWhereTheLayoutSays() {
    try (RTree tree = split()) {
      assertEquals("0.0 1.0 2.0 NaN", doublesAt(tree, 512, 4), "least x of the left leaf");
      assertEquals("0.0 1.0 0.0 NaN", doublesAt(tree, 544, 4), "least y");
      assertEquals("1.0 2.0 3.0 NaN", doublesAt(tree, 576, 4), "greatest x");
      assertEquals("1.0 2.0 1.0 NaN", doublesAt(tree, 608, 4), "greatest y");
      assertEquals("10 30 40", longsAt(tree, 640, 3), "values");
      assertEquals("3 0", intsAt(tree, 696, 2), "count and version");
      assertEquals("0.0 8.0 NaN NaN NaN", doublesAt(tree, 704, 5), "least x of the root");
      assertEquals("8 14", intsAt(tree, 864, 2), "its children, as lines");
      assertEquals("2 0", intsAt(tree, 888, 2), "its count and version");
    }
  }

  @Test
  void statisticsCountNodesFillAndBytes() {
    try (RTree tree = split()) {
      assertEquals(
          new IndexStatistics(5, 2, 1, 2, 2.0 / 5, 5.0 / 8, 576, 4096, false), tree.statistics());
      assertEquals(new Geometry(3, 3), tree.geometry());
    }
  }

  private static String print(RTreeStructure tree) {
    StringBuilder out = new StringBuilder();
    print(tree, tree.root, tree.height - 1, out);
    return out.toString();
  }

  private static void print(RTreeStructure tree, long node, int level, StringBuilder out) {
    RTreeNode layout = tree.layout(level);
    int count = layout.count(tree.nodes, node);
    out.append("  ".repeat(tree.height - 1 - level))
        .append(level == 0 ? "leaf @" : "inner @")
        .append("%d %d/%d:".formatted(node, count, layout.capacity));
    for (int slot = 0; slot < count; slot++) {
      out.append(
          " [%s %s %s %s]"
              .formatted(
                  layout.minX(tree.nodes, node, slot),
                  layout.minY(tree.nodes, node, slot),
                  layout.maxX(tree.nodes, node, slot),
                  layout.maxY(tree.nodes, node, slot)));
      if (level == 0) {
        out.append('=').append(tree.leaf.value(tree.nodes, node, slot));
      }
    }
    out.append('\n');
    for (int slot = 0; level > 0 && slot < count; slot++) {
      print(tree, tree.inner.child(tree.nodes, node, slot), level - 1, out);
    }
  }

  private static String doublesAt(RTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_DOUBLE, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private static String longsAt(RTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_LONG, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private static String intsAt(RTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_INT, offset + 4 * i))
        .collect(Collectors.joining(" "));
  }
}
