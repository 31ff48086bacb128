// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.MemoryLimitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndexesTest {

  @Test
  void indexCreatedWithoutAnyChoiceIsAPbPlusTree() {
    try (LongIndex index = Indexes.create()) {
      assertInstanceOf(PbPlusTree.class, index);
      assertEquals(Long.MIN_VALUE, index.get(1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void workloadCreatesItsTreeWithTheOptionsGiven(Workload workload) {
    IndexOptions options = IndexOptions.DEFAULT.withMissingValue(-7).withMemoryLimit(1 << 20);
    try (LongIndex index = Indexes.create(workload, options)) {
      assertEquals(workload.variant(), index.variant());
      assertEquals(-7, index.get(1));
      assertTrue(Family.all().contains(index.variant()));
      assertThrows(
          MemoryLimitException.class,
          () -> {
            for (long key = 0; key < 1 << 20; key++) {
              index.put(key, key);
            }
          });
    }
  }

  @Test
  void blindWritesGoToATreeThatDoesNotLook() {
    assertTrue(Workload.BLIND_WRITES.variant().capabilities().contains(Capability.BLIND_WRITES));
    assertEquals(Medium.MEMORY, Workload.MIXED.variant().medium());
  }
}
