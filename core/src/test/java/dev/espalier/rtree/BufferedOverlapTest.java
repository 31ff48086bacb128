// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.batch.VirtualNodes;
import dev.espalier.rtree.BufferedOverlap.Choices;
import dev.espalier.rtree.RTree.Geometry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffered queries against the same ones, one after the other. */
@Tag("fallback-thorough")
class BufferedOverlapTest {
  private static final double MOST = Double.POSITIVE_INFINITY;

  private final SplittableRandom random = new SplittableRandom(1);

  record Pair(int query, long value) {
    static final Comparator<Pair> ORDER =
        Comparator.comparingInt(Pair::query).thenComparingLong(Pair::value);
  }

  static Stream<Arguments> setsAndGeometries() {
    return Stream.of(RectangleSets.values())
        .flatMap(
            set ->
                Stream.of(new Geometry(3, 3), new Geometry(4, 5), Geometry.DEFAULT)
                    .map(geometry -> Arguments.of(set, geometry)));
  }

  @ParameterizedTest
  @MethodSource("setsAndGeometries")
  @Tag("thorough")
  void allPairsAreVisitedOnceWhateverTheLevelsAreGroupedLike(RectangleSets set, Geometry geometry) {
    try (RTree tree = tree(set, 300, geometry)) {
      double[] queries = queries(set, 20);
      Arrays.fill(queries, 0, 2, -MOST);
      Arrays.fill(queries, 2, 4, MOST);
      List<Pair> expected = oneByOne(tree, queries);
      assertTrue(expected.size() >= 300);
      for (VirtualNodes nodes : groupings(tree.statistics().height())) {
        Choices choices = Choices.DEFAULT.withVirtualNodes(nodes);
        for (int capacity : new int[] {1, 7, 1000}) {
          assertEquals(expected, sorted(tree, choices.withCapacity(capacity), queries));
        }
        assertInOrder(expected, visited(tree, choices.withCapacity(8).withOrder(), queries));
      }
      assertEquals(expected, sorted(tree, Choices.DEFAULT.withCapacity(30), queries));
    }
  }

  /** Many times the queries that there is memory for, because each goes to every leaf. */
  @ParameterizedTest
  @ValueSource(strings = {"1,1,1,1", "2,2", "1,3", "3,1"})
  void queriesThatOverlapEverythingNeedNoMoreMemory(String heights) {
    try (RTree tree = tree(RectangleSets.UNIT, 180, new Geometry(3, 3))) {
      VirtualNodes nodes =
          new VirtualNodes(Stream.of(heights.split(",")).map(Integer::valueOf).toList());
      assertEquals(nodes.treeHeight(), tree.statistics().height());
      double[] queries = new double[4 * 400];
      for (int i = 0; i < 400; i++) {
        queries[4 * i] = -MOST;
        queries[4 * i + 1] = -i;
        queries[4 * i + 2] = MOST;
        queries[4 * i + 3] = MOST;
      }
      int capacity = 16;
      Choices choices = Choices.DEFAULT.withCapacity(capacity).withVirtualNodes(nodes);
      int[] visits = new int[400];
      try (BufferedOverlap buffered = BufferedOverlap.over(tree, choices)) {
        assertEquals(
            400 * 180,
            buffered.overlapAll(
                queries,
                (query, value) -> {
                  visits[query]++;
                  return true;
                }));
        int mostBuffers = 5 + 5 * 5 + 5 * 5 * 5;
        int segmentBytes = 8 * 40;
        assertTrue(
            buffered.usedBytes() <= (2L * mostBuffers + 2 * capacity / 8 + 2) * segmentBytes,
            () -> "bytes: " + buffered.usedBytes());
      }
      for (int visited : visits) {
        assertEquals(180, visited);
      }
    }
  }

  @Test
  void visitorMayEndAllQueriesAndTheBuffersStayUsable() {
    try (RTree tree = tree(RectangleSets.UNIT, 1000, new Geometry(3, 3))) {
      double[] queries = queries(RectangleSets.UNIT, 100);
      List<Pair> expected = oneByOne(tree, queries);
      Choices choices =
          Choices.DEFAULT
              .withCapacity(30)
              .withVirtualNodes(oneLevelEach(tree.statistics().height()));
      for (Choices either : List.of(choices, choices.withOrder())) {
        try (BufferedOverlap buffered = BufferedOverlap.over(tree, either)) {
          for (int most = 1; most < expected.size(); most += 29) {
            List<Pair> first = new ArrayList<>();
            int end = most;
            assertEquals(
                most,
                buffered.overlapAll(
                    queries,
                    (query, value) -> first.add(new Pair(query, value)) && first.size() < end));
            assertTrue(expected.containsAll(first));
            assertEquals(most, first.size());
            assertThrows(
                ArithmeticException.class,
                () ->
                    buffered.overlapAll(
                        queries,
                        (query, value) -> {
                          throw new ArithmeticException("of the visitor");
                        }));
          }
          assertEquals(expected, sorted(visited(buffered, queries)));
        }
      }
    }
  }

  @Test
  void treeMayChangeBetweenTwoCalls() {
    RectangleModel model = RectangleSets.TOUCHING.model(2000, random);
    double[] queries = queries(RectangleSets.UNIT, 40);
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, new Geometry(3, 3));
        BufferedOverlap buffered = BufferedOverlap.over(tree)) {
      for (RectangleModel.Entry entry : model.entries) {
        tree.insert(entry.rectangle(), entry.value());
        if (Long.bitCount(entry.value()) == 1 || entry.value() % 500 == 0) {
          assertEquals(oneByOne(tree, queries), sorted(visited(buffered, queries)));
        }
      }
      for (RectangleModel.Entry entry : model.entries) {
        tree.delete(entry.rectangle(), entry.value());
        if (entry.value() % 400 == 0) {
          assertEquals(oneByOne(tree, queries), sorted(visited(buffered, queries)));
        }
      }
      tree.clear();
      assertEquals(0, buffered.overlapAll(queries, (query, value) -> true));
      assertEquals(0, buffered.overlapAll(new double[0], (query, value) -> true));
    }
  }

  @Test
  void wrongArgumentsAreRefusedBeforeAnythingIsVisited() {
    try (RTree tree = tree(RectangleSets.UNIT, 60, Geometry.DEFAULT);
        BufferedOverlap buffered = BufferedOverlap.over(tree)) {
      double[] queries = {-MOST, -MOST, MOST, MOST, 0, 0, 1, Double.NaN};
      OverlapVisitor none =
          (query, value) -> {
            throw new AssertionError("visited");
          };
      assertRefused("maxY is NaN", () -> buffered.overlapAll(queries, none));
      queries[7] = -1;
      assertRefused(
          "the rectangle is inverted: minY is 0.0, above maxY, which is -1.0",
          () -> buffered.overlapAll(queries, none));
      assertRefused(
          "queries.length is 7; it must be four for each query",
          () -> buffered.overlapAll(new double[7], none));
      assertRefused(
          "capacity is 0 queries; it must be from 1 to 16777216",
          () -> Choices.DEFAULT.withCapacity(0));
      Choices tooHigh = Choices.DEFAULT.withVirtualNodes(VirtualNodes.of(2, 2));
      try (BufferedOverlap wrong = BufferedOverlap.over(tree, tooHigh)) {
        assertRefused(
            "the virtual nodes (2,2) are not for a tree of 2 levels",
            () -> wrong.overlapAll(new double[4], none));
      }
    }
  }

  @Test
  void virtualNodesWithTooManyChildrenAreRefused() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, new Geometry(64, 3))) {
      RectangleSets.UNIT.model(4 * 44 * 44 * 3, random).bulkloadInto(tree, 0.5);
      assertEquals(4, tree.statistics().height());
      Choices choices = Choices.DEFAULT.withVirtualNodes(VirtualNodes.of(3, 1));
      try (BufferedOverlap buffered = BufferedOverlap.over(tree, choices)) {
        assertRefused(
            "virtual nodes of height 3 may have 1404928 children; the most is 65536",
            () -> buffered.overlapAll(new double[4], (query, value) -> true));
      }
    }
  }

  private static void assertRefused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  @Test
  void closedBuffersOrClosedTreeAreRefused() {
    RTree tree = tree(RectangleSets.UNIT, 5000, new Geometry(3, 3));
    BufferedOverlap closed = BufferedOverlap.over(tree);
    BufferedOverlap open = BufferedOverlap.over(tree);
    double[] queries = queries(RectangleSets.UNIT, 10);
    closed.overlapAll(queries, (query, value) -> true);
    closed.close();
    closed.close();
    Executable call = () -> closed.overlapAll(queries, (query, value) -> true);
    assertEquals(
        "the buffers are closed", assertThrows(IllegalStateException.class, call).getMessage());
    assertThrows(IllegalStateException.class, closed::usedBytes);
    open.overlapAll(queries, (query, value) -> true);
    tree.close();
    assertThrows(
        IllegalStateException.class, () -> open.overlapAll(queries, (query, value) -> true));
    open.close();
  }

  @Test
  void levelsAreGroupedByTheSizesOfTreeAndCache() {
    try (RTree tree = tree(RectangleSets.UNIT, 100_000, new Geometry(10, 10))) {
      // About 10 children and 400 bytes in use of a node: subtrees of 4, 43, 434 KiB and 4.2 MiB.
      assertEquals(5, tree.statistics().height());
      assertEquals(VirtualNodes.of(5), BufferedOverlap.suitableNodes(tree.tree, 16 << 20));
      assertEquals(VirtualNodes.of(1, 4), BufferedOverlap.suitableNodes(tree.tree, 1 << 20));
      assertEquals(VirtualNodes.of(2, 3), BufferedOverlap.suitableNodes(tree.tree, 200 << 10));
      assertEquals(VirtualNodes.of(1, 2, 2), BufferedOverlap.suitableNodes(tree.tree, 20 << 10));
      assertEquals(VirtualNodes.of(1, 1, 1, 1, 1), BufferedOverlap.suitableNodes(tree.tree, 1));
    }
  }

  private RTree tree(RectangleSets set, int count, Geometry geometry) {
    RTree tree = RTree.create(IndexOptions.DEFAULT, geometry);
    set.model(count, random).bulkloadInto(tree, 0.75);
    return tree;
  }

  private double[] queries(RectangleSets set, int count) {
    double[] queries = new double[4 * count];
    for (int i = 0; i < count; i++) {
      Rectangle query = set.next(random);
      queries[4 * i] = query.minX();
      queries[4 * i + 1] = query.minY();
      queries[4 * i + 2] = query.maxX();
      queries[4 * i + 3] = query.maxY();
    }
    return queries;
  }

  /** Returns all ways to group the levels of a tree. */
  private static List<VirtualNodes> groupings(int height) {
    List<VirtualNodes> groupings = new ArrayList<>();
    for (int borders = 0; borders < 1 << (height - 1); borders++) {
      List<Integer> heights = new ArrayList<>();
      int group = 1;
      for (int level = 1; level < height; level++, group++) {
        if ((borders >> (level - 1) & 1) != 0) {
          heights.add(group);
          group = 0;
        }
      }
      heights.add(group);
      groupings.add(new VirtualNodes(heights));
    }
    return groupings;
  }

  private static VirtualNodes oneLevelEach(int height) {
    return groupings(height).getLast();
  }

  private static List<Pair> oneByOne(RTree tree, double[] queries) {
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < queries.length / 4; i++) {
      int query = i;
      tree.overlapping(
          queries[4 * i],
          queries[4 * i + 1],
          queries[4 * i + 2],
          queries[4 * i + 3],
          value -> pairs.add(new Pair(query, value)));
    }
    return sorted(pairs);
  }

  private static List<Pair> visited(BufferedOverlap buffered, double[] queries) {
    List<Pair> pairs = new ArrayList<>();
    long count = buffered.overlapAll(queries, (query, value) -> pairs.add(new Pair(query, value)));
    assertEquals(pairs.size(), count);
    return pairs;
  }

  private static List<Pair> visited(RTree tree, Choices choices, double[] queries) {
    try (BufferedOverlap buffered = BufferedOverlap.over(tree, choices)) {
      return visited(buffered, queries);
    }
  }

  private static List<Pair> sorted(RTree tree, Choices choices, double[] queries) {
    return sorted(visited(tree, choices, queries));
  }

  private static List<Pair> sorted(List<Pair> pairs) {
    return pairs.stream().sorted(Pair.ORDER).toList();
  }

  private static void assertInOrder(List<Pair> expected, List<Pair> visited) {
    assertEquals(expected, sorted(visited));
    for (int i = 1; i < visited.size(); i++) {
      assertTrue(visited.get(i - 1).query() <= visited.get(i).query());
    }
  }
}
