// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is held against bounds fails when it is beyond them. */
final class CosbChecksTest {
  private static final double B = 256;

  private static List<String> failing(Outcome outcome) {
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  private static List<String> constants(double search, double insert) {
    Outcome outcome = new Outcome(Column.text("a", "a"));
    Tradeoff.checkConstants(outcome, "tree", new TransferBounds(search, insert));
    return failing(outcome);
  }

  private static List<String> byBlock(Structure structure, double search, double insert) {
    Outcome outcome = new Outcome(Column.text("a", "a"));
    TransferCount[] counted = {new TransferCount(1, 1), new TransferCount(insert, search)};
    TransfersByBlock.checkObliviousness(outcome, structure.label(), counted, 0.7);
    return failing(outcome);
  }

  @Test
  void constantsAreTheSameForAllStructures() {
    assertEquals(List.of(), constants(2, 3));
    assertEquals(List.of("tree, search over its bound"), constants(2.1, 3));
    assertEquals(List.of("tree, insert over its bound"), constants(2, 3.1));
  }

  @Test
  void insertsIntoTheCacheObliviousTreeAreHeldAgainstItsBound() {
    String insert = ", insert with larger blocks over smaller";
    String tree = Structure.CACHE_OBLIVIOUS_B_TREE.label();
    assertEquals(List.of(), byBlock(Structure.CACHE_OBLIVIOUS_B_TREE, 1, 0.7));
    assertEquals(List.of(tree + insert), byBlock(Structure.CACHE_OBLIVIOUS_B_TREE, 1, 0.8));
    String cola = Structure.COLA_4.label();
    assertEquals(List.of(cola + insert), byBlock(Structure.COLA_4, 1, 0.6));
    assertEquals(
        List.of(cola + ", search with larger blocks over smaller"),
        byBlock(Structure.COLA_4, 1.2, 0.5));
  }

  @Test
  void levelsThatFastMemoryHoldsAreNotInTheBounds() {
    TransferBounds allInMemory = TransferBounds.bTree(new TransferBounds.Model(1000, 1000, B));
    assertEquals(1, allInMemory.search());
    TransferBounds cold = TransferBounds.binary(new TransferBounds.Model(1 << 20, 1, B));
    assertEquals(21, cold.search(), 1e-9);
    assertEquals(21 / B, cold.insert(), 1e-9);
    TransferBounds warm = TransferBounds.binary(new TransferBounds.Model(1 << 20, 1 << 16, B));
    assertEquals(5, warm.search(), 1e-9);
    assertTrue(warm.insert() < cold.insert());
  }
}
