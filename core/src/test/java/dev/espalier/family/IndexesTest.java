// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.cola.Cola;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.csbplus.CsbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndexesTest {

  @Test
  void indexCreatedWithoutAnyChoiceIsForManyThreads() {
    try (ConcurrentLongIndex index = Indexes.create()) {
      assertInstanceOf(ConcurrentPbPlusTree.class, index);
      assertEquals(Workload.MIXED.variant(), index.variant());
      assertSame(index, index.withReadWriteLock());
      assertEquals(Long.MIN_VALUE, index.get(1));
    }
  }

  @Test
  void indexOfByteStringsCreatedWithoutAnyChoiceIsForManyThreads() {
    try (BytesIndex index = Indexes.createBytes()) {
      assertInstanceOf(ConcurrentPrefixBPlusTree.class, index);
      assertSame(index, index.withReadWriteLock());
      assertNull(index.get(new byte[] {1}));
    }
    IndexOptions small = IndexOptions.DEFAULT.withMemoryLimit(1 << 20);
    try (BytesIndex index = Indexes.createBytes(small)) {
      assertThrows(
          MemoryLimitException.class,
          () -> {
            for (int i = 0; i < 1 << 20; i++) {
              index.put(("key " + i).getBytes(UTF_8), new byte[100]);
            }
          });
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
  void treesThatTheReadmeNamesAreMadeWithoutOptions() {
    List<Supplier<LongIndex>> trees =
        List.of(PbPlusTree::create, CssTree::create, CsbPlusTree::create, Cola::create);
    for (Supplier<LongIndex> tree : trees) {
      try (LongIndex index = tree.get()) {
        index.set(1, 2);
        assertEquals(2, index.get(1));
        assertEquals(Long.MIN_VALUE, index.missingValue());
      }
    }
  }

  @Test
  void oneThreadGetsATreeWithoutLatches() {
    assertEquals(PbPlusTree.VARIANT, Workload.ONE_THREAD.variant());
  }

  /**
   * As docs/which-tree.md says: arrays with gaps are hardly faster to scan, and slower to change.
   */
  @Test
  void scansGetTheTreeThatIsRecommendedForThem() {
    assertEquals(PbPlusTree.VARIANT, Workload.SCANS.variant());
  }

  @Test
  void blindWritesGoToATreeThatDoesNotLook() {
    assertTrue(Workload.BLIND_WRITES.variant().capabilities().contains(Capability.BLIND_WRITES));
    assertEquals(Medium.MEMORY, Workload.MIXED.variant().medium());
  }
}
