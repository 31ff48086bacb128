// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.OuterSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JoinExperimentTest {
  private static final JoinInput INPUT =
      new JoinInput(
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
  void everyKindGivesTheHashJoinsRows() {
    List<JoinResult> results =
        run(TreeMapInnerSide.KIND, HashMapInnerSide.KIND, unreliable(Fault.NONE, 0));
    assertEquals(3, results.size());
    for (JoinResult result : results) {
      assertTrue(result.agrees(), result.index());
      assertEquals(HashJoin.join(INPUT), result.digest());
    }
  }

  @Test
  void wrongRowCountIsNoticed() {
    assertFalse(run(unreliable(Fault.ROWS, Integer.MAX_VALUE)).getFirst().agrees());
  }

  @Test
  void wrongPairsAreNoticed() {
    assertFalse(run(unreliable(Fault.PAIRS, Integer.MAX_VALUE)).getFirst().agrees());
  }

  @Test
  void oneWrongPassAmongRightOnesIsNoticed() {
    assertFalse(run(unreliable(Fault.ROWS, 1)).getFirst().agrees());
  }

  private static List<JoinResult> run(InnerSide.Kind... kinds) {
    try (ProgressBar silent = ProgressBar.invisible()) {
      JoinOptions options = JoinOptions.DEFAULT.withBatchSize(2);
      return new JoinExperiment(List.of(kinds), options, 3, 100, silent).run(List.of(INPUT));
    }
  }

  private enum Fault {
    NONE,
    ROWS,
    PAIRS
  }

  /** A kind whose inner sides give a wrong answer the first few times they are joined. */
  private static InnerSide.Kind unreliable(Fault fault, int wrongPasses) {
    return new InnerSide.Kind(
        "Unreliable",
        List.of(ProbeMethod.SINGLE),
        keys -> new Unreliable(TreeMapInnerSide.KIND.builder().build(keys), fault, wrongPasses));
  }

  private static final class Unreliable implements InnerSide {
    private final InnerSide right;
    private final Fault fault;
    private final int wrongPasses;
    private int passes;

    Unreliable(InnerSide right, Fault fault, int wrongPasses) {
      this.right = right;
      this.fault = fault;
      this.wrongPasses = wrongPasses;
    }

    @Override
    public long bytes(long heapGrowth) {
      return heapGrowth;
    }

    @Override
    public JoinDigest join(OuterSource outer, JoinOptions options) {
      JoinDigest digest = right.join(outer, options);
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
