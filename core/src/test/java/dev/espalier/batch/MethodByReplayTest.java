// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.ReplayedCosts.Worst;
import dev.espalier.bplus.PbPlusTree;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/** The automatic choice of a method, held against times that were once measured. */
final class MethodByReplayTest {
  private static final double MOST = 1.1;

  private final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);

  @BeforeEach
  void load() {
    for (long key = 0; key < 10_000; key++) {
      index.put(key, key);
    }
  }

  @AfterEach
  void close() {
    index.close();
  }

  private ProbeMethod choose(int count) {
    return BatchLookup.of(index).choose(count).method();
  }

  @ParameterizedTest
  @FieldSource("dev.espalier.batch.ReplayedCosts#ALL")
  void choiceIsWithinATenthOfTheBestAtEverySize(ReplayedCosts costs) {
    BatchLookup.of(index).calibrate(costs);
    Worst worst = costs.worst(this::choose);
    assertTrue(worst.factor() <= MOST, () -> costs + ": " + worst);
  }

  @Test
  void choiceFollowsCostsThatHaveChanged() {
    for (ReplayedCosts costs : ReplayedCosts.ALL) {
      for (ReplayedCosts later : ReplayedCosts.ALL) {
        BatchLookup.of(index).calibrate(costs);
        costs.worst(this::choose); // Every size has been chosen for.
        BatchLookup.of(index).calibrate(later);
        Worst worst = later.worst(this::choose);
        assertTrue(worst.factor() <= MOST, () -> later + " after " + costs + ": " + worst);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void noSingleMethodIsWithinATenth(ProbeMethod always) {
    for (ReplayedCosts costs : ReplayedCosts.ALL) {
      Worst worst = costs.worst(_ -> always);
      assertTrue(worst.factor() > MOST, () -> costs + ": " + worst);
    }
  }
}
