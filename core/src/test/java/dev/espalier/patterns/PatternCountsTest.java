// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.memory.TracedJvm;
import dev.espalier.patterns.PatternCounts.Count;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No tree may touch many times the lines that a pattern needs, but where it is known to. Times
 * would tell the same on a machine that has nothing else to do.
 */
class PatternCountsTest {
  /** How many times the lines of {@link Bound} an operation may touch, on average. */
  private static final double MULTIPLE = 2.5;

  private static final double MULTIPLE_IN_HISTORIES = 4;
  private static final double MULTIPLE_OF_SPARSE_SCANS = 8;

  /** In these, a scan merges what all buffers or levels have that others have filled. */
  private static final Set<String> MISSED_IN_HISTORIES =
      Set.of("BEpsilonTree", "BufferedRepositoryTree", "Cola", "DeamortizedCola");

  /** A known miss may differ by this factor either way before it has to be written down anew. */
  private static final double TOLERANCE = 4.0 / 3;

  @Test
  @Tag("thorough")
  void treesTouchLittleForAnyPatternButWhereTheyAreKnownNotTo()
      throws IOException, InterruptedException {
    List<String> good = treesWithoutMisses();
    List<String> trees = new ArrayList<>(TestSize.isThorough() ? good : TestSize.part(good));
    trees.addAll(TestSize.part(treesWithMisses()));
    List<Count> counts = counted(trees);
    assertEquals(trees.size() * Pattern.values().length, counts.size());
    Map<String, Double> missed = new TreeMap<>(KnownMisses.all());
    missed.keySet().removeIf(miss -> !trees.contains(miss.substring(0, miss.indexOf(' '))));
    List<String> wrong = new ArrayList<>();
    for (Count count : counts) {
      Double known = missed.remove(count.tree() + " " + count.what());
      if (known == null) {
        if (count.multiple() > MULTIPLE) {
          wrong.add("touches too much: " + count);
        }
      } else if (count.multiple() <= MULTIPLE) {
        wrong.add("is no miss any more; strike it off the list: " + count);
      } else if (count.lines() > TOLERANCE * known || known > TOLERANCE * count.lines()) {
        wrong.add("is known with " + known + " lines; write down what it is now: " + count);
      }
    }
    missed.keySet().forEach(name -> wrong.add("is in the list, but was not counted: " + name));
    assertEquals(List.of(), wrong);
  }

  /**
   * In a history, a pattern meets what others have left: leaves of any fill, gaps, dead entries.
   * Its phases are short, so few operations pay for what comes once for many.
   */
  @Test
  @Tag("thorough")
  void patternsCostNoMoreAfterWhatOthersLeft() throws IOException, InterruptedException {
    List<String> trees = new ArrayList<>(treesWithoutMisses());
    trees.removeAll(MISSED_IN_HISTORIES);
    assertTrue(trees.contains("PbPlusTree"), trees.toString());
    int phases = TestSize.of(12, 100);
    for (long seed : TestSize.seeds(1, 6)) {
      List<String> arguments =
          new ArrayList<>(List.of(Long.toString(seed), Integer.toString(phases)));
      arguments.addAll(trees);
      List<Count> counts = counted(arguments);
      assertEquals(trees.size() * phases, counts.size());
      assertEquals(
          List.of(),
          counts.stream().filter(count -> count.multiple() > mostInHistory(count)).toList(),
          "seed " + seed);
    }
  }

  /**
   * Linked pages stay until they are empty, and so do leaves of a BFTL, each of which is in several
   * sectors: a scan may find few entries in each.
   */
  private static double mostInHistory(Count count) {
    return Set.of("FpbLinkTree", "BftlTree").contains(count.tree())
            && count.what().endsWith(Pattern.SCAN_BEHIND_DEAD.name())
        ? MULTIPLE_OF_SPARSE_SCANS
        : MULTIPLE_IN_HISTORIES;
  }

  private static List<Count> counted(List<String> arguments)
      throws IOException, InterruptedException {
    return TracedJvm.run(PatternCounts.class, arguments.toArray(String[]::new)).stream()
        .map(Count::parse)
        .toList();
  }

  private static List<String> treesWithoutMisses() {
    return trees(false);
  }

  private static List<String> treesWithMisses() {
    return trees(true);
  }

  private static List<String> trees(boolean withMisses) {
    return Family.all().stream()
        .map(TreeVariant::name)
        .filter(
            tree ->
                withMisses
                    == KnownMisses.all().keySet().stream()
                        .anyMatch(miss -> miss.startsWith(tree + " ")))
        .toList();
  }
}
