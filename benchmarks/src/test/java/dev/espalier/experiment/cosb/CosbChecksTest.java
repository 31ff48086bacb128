// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.cosb.InsertsBeyondMemory.Seen;
import dev.espalier.experiment.cosb.InsertsBeyondMemory.Setting;
import java.util.List;
import java.util.Map;
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

  private static List<String> inserts(Seen tree, Seen sorted, Seen cola, Seen ascending) {
    Outcome outcome = new Outcome(Column.text("a", "a"));
    InsertsBeyondMemory.checkTargets(
        outcome,
        Map.of(
            new Setting(Structure.B_PLUS_TREE, KeyOrder.RANDOM), tree,
            new Setting(Structure.B_PLUS_TREE, KeyOrder.ASCENDING), sorted,
            new Setting(Structure.COLA_4, KeyOrder.RANDOM), cola,
            new Setting(Structure.COLA_4, KeyOrder.ASCENDING), ascending));
    return failing(outcome);
  }

  @Test
  void insertsAndSearchesAreHeldAgainstTheTreeThatGrewInOrder() {
    Seen tree = new Seen(3000, 1000, 1);
    Seen sorted = new Seen(30, 10, 10);
    Seen cola = new Seen(100, 10, 35);
    Seen ascending = new Seen(93, 10, 35);
    assertEquals(List.of(), inserts(tree, sorted, cola, ascending));
    assertEquals(
        List.of("random inserts, 4-COLA over B+-tree", "pages written, B+-tree over 4-COLA"),
        inserts(new Seen(2900, 990, 1), sorted, cola, ascending));
    assertEquals(
        List.of("ascending inserts, 4-COLA's time over the B+-tree's"),
        inserts(tree, new Seen(29, 10, 10), cola, ascending));
    assertEquals(
        List.of("search, 4-COLA over the B+-tree that grew in order"),
        inserts(tree, new Seen(30, 10, 9.9), cola, ascending));
    assertEquals(
        List.of("4-COLA's inserts, random over ascending"),
        inserts(tree, sorted, cola, new Seen(90, 10, 35)));
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
