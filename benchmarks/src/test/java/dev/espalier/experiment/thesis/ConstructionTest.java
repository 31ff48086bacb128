// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.experiment.Entries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ConstructionTest {
  private static final int ENTRIES = 10_000;

  @ParameterizedTest
  @EnumSource(Construction.class)
  void everyEntryIsInTheTree(Construction construction) {
    long[] probes = Entries.probes(ENTRIES, ENTRIES, ENTRIES);
    try (ConfigurablePbPlusTree tree = tree(construction)) {
      tree.verify();
      assertEquals(ENTRIES, tree.size());
      for (TreeOperation operation : TreeOperation.values()) {
        assertEquals(operation.answer(ENTRIES, probes), operation.run(tree, probes));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"FULL, 1", "TWO_THIRDS, 0.67", "HALF, 0.5"})
  void leavesAreAsFullAsSaid(Construction construction, double fill) {
    try (ConfigurablePbPlusTree tree = tree(construction)) {
      assertEquals(fill, tree.statistics().leafFill(), 0.02);
    }
  }

  @Test
  void insertedLeavesAreScatteredAndPartlyFull() {
    try (ConfigurablePbPlusTree tree = tree(Construction.INSERTED)) {
      double fill = tree.statistics().leafFill();
      assertTrue(fill > 0.6 && fill < 0.8, "filled to " + fill);
    }
  }

  private static ConfigurablePbPlusTree tree(Construction construction) {
    return new TreeSetting("any", 8, 2, construction, PbPlusChoices.DEFAULT).build(ENTRIES);
  }
}
