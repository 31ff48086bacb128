// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.family.Family;
import dev.espalier.memory.Trace;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Prints how many lines trees touch, in a JVM that traces. With {@code TREE...} it counts each
 * pattern on these trees, or on all; with {@code SEED PHASES TREE...} it draws histories, in which
 * pattern follows pattern on an index that keeps what the one before has left.
 */
public final class PatternCounts {
  /** Entries of a pattern, and operations that are counted if they are not too dear. */
  private static final int SIZE = 20_000;

  /** No further step is done when this many lines have been touched. */
  private static final long MOST_LINES = 2_000_000;

  /** Operations of a phase: enough that the first has no rebuild alone. */
  private static final int LEAST_PHASE = 1_000;

  private static final int MOST_PHASE = 4_000;
  private static final long SEED = 52;

  /** Lines of pages of the default size. */
  private static final int PAGE_LINES = 256;

  /** Lines of nodes in memory. */
  private static final int NODE_LINES = 8;

  /**
   * Lines that move for an insert where that is not a leaf: an in-page node, and a share of the
   * page, which is built anew from time to time; segments of an array; an array of what is new.
   */
  private static final Map<String, Integer> MOVED_LINES =
      Map.of(
          "DiskFirstFpbPlusTree", 32,
          "FpbLinkTree", 32,
          "CacheFirstFpbPlusTree", 32,
          "CssTree", 64,
          "DigestCssTree", 64,
          "ShuttleTree", 64,
          "PackedMemoryArray", 32,
          "CacheObliviousBTree", 32);

  private PatternCounts() {}

  /**
   * What was counted: lines of an operation, and what multiple they are of the bound.
   *
   * @param what a pattern, or a phase of a history
   */
  record Count(String tree, String what, double lines, double multiple) {
    static Count parse(String line) {
      String[] fields = line.split(" ");
      return new Count(
          fields[0], fields[1], Double.parseDouble(fields[2]), Double.parseDouble(fields[3]));
    }

    void print() {
      System.out.printf(Locale.ROOT, "%s %s %.2f %.2f%n", tree, what, lines, multiple);
    }
  }

  public static void main(String[] args) {
    List<String> arguments = List.of(args);
    if (args.length > 0 && Character.isDigit(args[0].charAt(0))) {
      for (String tree : arguments.subList(2, args.length)) {
        history(Family.named(tree), Long.parseLong(args[0]), Integer.parseInt(args[1]));
      }
    } else {
      List<TreeVariant> trees = arguments.stream().map(Family::named).toList();
      (trees.isEmpty() ? Family.all() : trees).forEach(PatternCounts::countPatterns);
    }
  }

  private static void countPatterns(TreeVariant tree) {
    for (Pattern pattern : Pattern.values()) {
      try (Bound target = bound(tree)) {
        PatternRun run = pattern.begin(target, SIZE, SEED);
        run.prepare();
        count(tree, pattern.name(), target, run, SIZE).print();
      }
    }
  }

  private static void history(TreeVariant tree, long seed, int phases) {
    SplittableRandom random = new SplittableRandom(seed);
    Pattern[] patterns = Pattern.values();
    try (Bound target = bound(tree)) {
      for (int phase = 0; phase < phases; phase++) {
        Pattern pattern = patterns[random.nextInt(patterns.length)];
        int size = random.nextInt(LEAST_PHASE, MOST_PHASE);
        long by = random.nextInt(3) == 0 ? 0 : random.nextInt(-MOST_PHASE, MOST_PHASE);
        PatternRun run = pattern.begin(new Shifted(target, by), size, random.nextLong());
        run.prepare();
        count(tree, phase + ":" + pattern.name(), target, run, size).print();
      }
      target.verify();
    }
  }

  private static Bound bound(TreeVariant tree) {
    int node = tree.medium() == Medium.PAGES ? PAGE_LINES : NODE_LINES;
    return new Bound(
        tree.create(IndexOptions.DEFAULT), MOVED_LINES.getOrDefault(tree.name(), node), node);
  }

  private static Count count(
      TreeVariant tree, String what, Bound target, PatternRun run, int most) {
    LineCounter counter = new LineCounter();
    long before = target.lines();
    Trace.to(counter);
    int done = 0;
    int more = 1;
    while (more > 0 && done < most && counter.lines() < MOST_LINES) {
      more = run.step();
      done += more;
    }
    Trace.to(null);
    return new Count(
        tree.name(),
        what,
        (double) counter.lines() / done,
        (double) counter.lines() / (target.lines() - before));
  }
}
