// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.cachefirst.CacheFirstFpbPlusTree;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import dev.espalier.model.MemoryTimes;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Figure 11: searches by widths within pages, among them those that the optimizer chooses. */
final class WidthFigure {
  private static final List<Integer> INNER_WIDTHS = List.of(1, 2, 4, 6, 8);
  private static final List<Integer> LEAF_WIDTHS = List.of(2, 4, 8, 16, 32);
  private static final List<Integer> WIDTHS = List.of(2, 4, 8, 11, 16);

  /** Time with the chosen widths, by the least, as the paper has it for disk-first trees. */
  private static final double DISK_FIRST = 1.02;

  /** The same for cache-first trees. */
  private static final double CACHE_FIRST = 1.05;

  private WidthFigure() {}

  static Figure figure() {
    return new Figure(
        "11",
        "Searches by widths within pages",
        "Time of 2000 random searches in full trees of 100 thousand to 10 million keys in pages of"
            + " 16 KB, for disk-first trees with nonleaf nodes of 64 to 512 bytes and cache-first"
            + " trees with nodes of 128 to 1024 bytes. The widths that the optimizer chooses are"
            + " within 2% and 5% of the best.",
        "Of a disk-first tree's two widths one is varied while the other is the chosen one. Every"
            + " tree with the chosen widths is held against the fastest of its kind and size. The"
            + " targets are the paper's; the optimizer promises no more than 10%.",
        Operation.SEARCH,
        Figure.lines(Figure.ENTRIES),
        setting -> setting.tree().toString(),
        WidthFigure::trees,
        WidthFigure::check);
  }

  private static List<PagedSetting> trees(int entries, MemoryTimes times) {
    Set<String> seen = new HashSet<>();
    List<PagedTree> trees =
        Stream.of(Stream.of(PagedTree.diskOptimized()), diskFirst(times), cacheFirst(times))
            .flatMap(Function.identity())
            .filter(tree -> seen.add(tree.toString()))
            .toList();
    List<PagedSetting> settings = new ArrayList<>();
    for (int size : SearchFigures.sizes(entries)) {
      for (PagedTree tree : trees) {
        settings.add(new PagedSetting(tree, Figure.PAGE, size, 100));
      }
    }
    return settings;
  }

  /** The chosen widths first. */
  private static Stream<PagedTree> diskFirst(MemoryTimes times) {
    DiskFirstFpbPlusTree.Geometry best = DiskFirstFpbPlusTree.Geometry.forPages(Figure.PAGE, times);
    return Stream.of(
            Stream.of(best),
            INNER_WIDTHS.stream()
                .map(width -> new DiskFirstFpbPlusTree.Geometry(width, best.leafWidth())),
            LEAF_WIDTHS.stream()
                .map(width -> new DiskFirstFpbPlusTree.Geometry(best.innerWidth(), width)))
        .flatMap(Function.identity())
        .map(PagedTree::diskFirst);
  }

  private static Stream<PagedTree> cacheFirst(MemoryTimes times) {
    return Stream.concat(
            Stream.of(CacheFirstFpbPlusTree.Geometry.forPages(Figure.PAGE, times)),
            WIDTHS.stream().map(CacheFirstFpbPlusTree.Geometry::new))
        .map(PagedTree::cacheFirst);
  }

  /**
   * Holds the trees of each kind, the first of which has the chosen widths, against the fastest.
   */
  private static void check(FigureTimes times, Outcome outcome) {
    for (String kind : PagedTree.FRACTAL) {
      Map<Integer, List<PagedSetting>> bySize =
          times.large().stream()
              .filter(setting -> setting.tree().kind().equals(kind))
              .collect(
                  Collectors.groupingBy(PagedSetting::entries, TreeMap::new, Collectors.toList()));
      bySize.forEach(
          (size, trees) -> {
            double best = trees.stream().mapToDouble(times::of).min().orElseThrow();
            outcome.check(
                new Check(
                    "%s, %,d entries: time with the chosen widths, by the least"
                        .formatted(kind, size),
                    times.kind(),
                    times.of(trees.getFirst()) / best,
                    Target.atMost(kind.equals(PagedTree.DISK_FIRST) ? DISK_FIRST : CACHE_FIRST)));
          });
    }
  }
}
