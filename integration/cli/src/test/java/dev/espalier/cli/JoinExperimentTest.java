// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.join.JoinOptions;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class JoinExperimentTest {
  private static final LongJoinInput INPUT =
      new LongJoinInput(
          "a-b",
          new long[] {20, 10, 99, 20, 30},
          new long[] {0, 1, 2, 3, 4},
          new long[] {10, 20, 30});

  @Test
  void hashJoinDropsRowsWithoutPartner() {
    long checksum =
        JoinDigest.hash(0, 1)
            + JoinDigest.hash(1, 0)
            + JoinDigest.hash(3, 1)
            + JoinDigest.hash(4, 2);
    assertEquals(new JoinDigest(4, checksum), HashJoin.join(INPUT));
  }

  @Test
  void hashTellsThePairsApart() {
    assertNotEquals(JoinDigest.hash(1, 2), JoinDigest.hash(2, 1));
    assertNotEquals(
        JoinDigest.hash(1, 2) + JoinDigest.hash(3, 4),
        JoinDigest.hash(1, 4) + JoinDigest.hash(3, 2));
  }

  @Test
  @Tag("thorough")
  void everyKindGivesTheHashJoinsRows() {
    List<JoinResult> results =
        run(List.of(TreeMapInnerSide.KIND, HashMapInnerSide.KIND, unreliable(Fault.NONE, 0)));
    assertEquals(3, results.size());
    for (JoinResult result : results) {
      assertTrue(result.agrees(), result.index());
      assertEquals(HashJoin.join(INPUT), result.digest());
    }
  }

  @Test
  void wrongRowCountIsNoticed() {
    assertFalse(run(List.of(unreliable(Fault.ROWS, Integer.MAX_VALUE))).getFirst().agrees());
  }

  @Test
  void wrongPairsAreNoticed() {
    assertFalse(run(List.of(unreliable(Fault.PAIRS, Integer.MAX_VALUE))).getFirst().agrees());
  }

  @Test
  void oneWrongPassAmongRightOnesIsNoticed() {
    assertFalse(run(List.of(unreliable(Fault.ROWS, 1))).getFirst().agrees());
  }

  private static List<JoinResult> run(List<InnerSide.Kind<LongJoinInput>> kinds) {
    try (ProgressBar silent = ProgressBar.invisible()) {
      JoinOptions options = JoinOptions.DEFAULT.withBatchSize(2);
      return new JoinExperiment<>(kinds, options, 3, 100, silent).run(List.of(INPUT));
    }
  }

  /** Only for what lives there is it worth the collections that it takes. */
  @Test
  void theHeapIsMeasuredForMapsAlone() {
    long[] keys = LongStream.range(0, 100_000).toArray();
    LongJoinInput input = new LongJoinInput("a-b", keys, keys, keys);
    InnerSide.Kind<LongJoinInput> map = TreeMapInnerSide.KIND;
    InnerSide.Kind<LongJoinInput> index =
        new InnerSide.Kind<>("Index", map.methods(), map.builder());
    try (ProgressBar silent = ProgressBar.invisible()) {
      List<JoinResult> results =
          new JoinExperiment<>(List.of(map, index), JoinOptions.DEFAULT, 1, 100, silent)
              .run(List.of(input));
      assertTrue(results.getFirst().bytesPerEntry() > 2 * Long.BYTES, results.toString());
      assertEquals(0, results.getLast().bytesPerEntry());
    }
  }

  @Test
  @Tag("thorough")
  void textsGiveARowForEachPairOfBothHashJoins() {
    String[] outer = {"b", "a", "x", "b"};
    String[] inner = {"a", "b", "b", "b", "\u00e9"};
    TextJoinInput input = TextJoinInput.of("a-b", outer, inner);
    long checksum =
        JoinDigest.hash(0, 1)
            + JoinDigest.hash(0, 2)
            + JoinDigest.hash(0, 3)
            + JoinDigest.hash(1, 0)
            + JoinDigest.hash(3, 1)
            + JoinDigest.hash(3, 2)
            + JoinDigest.hash(3, 3);
    assertEquals(new JoinDigest(7, checksum), input.hashJoin());
    List<InnerSide.Kind<TextJoinInput>> kinds =
        List.of(
            SecondaryInnerSide.kind(SecondaryInnerSide.METHODS),
            TextMapInnerSide.TREE_MAP,
            TextMapInnerSide.HASH_MAP);
    try (ProgressBar silent = ProgressBar.invisible()) {
      List<JoinResult> results =
          new JoinExperiment<>(kinds, JoinOptions.DEFAULT, 1, 100, silent).run(List.of(input));
      assertEquals(5, results.size());
      assertTrue(results.stream().allMatch(JoinResult::agrees));
    }
  }

  @Test
  void textMapsGatherTheRowsOfOneTextInLinearTime() {
    int rowsOfOne = 10_000;
    long copied = 0;
    int[] rows = {1, 0};
    for (int row = 1; row < rowsOfOne; row++) {
      int[] longer = TextMapInnerSide.append(rows, new int[] {1, row});
      copied += longer == rows ? 0 : rows.length;
      rows = longer;
    }
    assertEquals(rowsOfOne, rows[0]);
    for (int row = 0; row < rowsOfOne; row++) {
      assertEquals(row, rows[row + 1]);
    }
    assertTrue(copied < 2L * rowsOfOne, copied + " numbers copied");
  }

  private enum Fault {
    NONE,
    ROWS,
    PAIRS
  }

  /** A kind whose inner sides give a wrong answer the first few times they are joined. */
  private static InnerSide.Kind<LongJoinInput> unreliable(Fault fault, int wrongPasses) {
    return new InnerSide.Kind<>(
        "Unreliable",
        List.of(ProbeMethod.SINGLE),
        input -> new Unreliable(TreeMapInnerSide.KIND.builder().build(input), fault, wrongPasses));
  }

  private static final class Unreliable implements InnerSide<LongJoinInput> {
    private final InnerSide<LongJoinInput> right;
    private final Fault fault;
    private final int wrongPasses;
    private int passes;

    Unreliable(InnerSide<LongJoinInput> right, Fault fault, int wrongPasses) {
      this.right = right;
      this.fault = fault;
      this.wrongPasses = wrongPasses;
    }

    @Override
    public long bytes(long heapGrowth) {
      return heapGrowth;
    }

    @Override
    public JoinDigest join(LongJoinInput input, JoinOptions options) {
      JoinDigest digest = right.join(input, options);
      if (passes++ >= wrongPasses) {
        return digest;
      }
      return switch (fault) {
        case NONE -> digest;
        case ROWS -> new JoinDigest(digest.rows() + 1, digest.checksum());
        case PAIRS -> new JoinDigest(digest.rows(), digest.checksum() + 1);
      };
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
