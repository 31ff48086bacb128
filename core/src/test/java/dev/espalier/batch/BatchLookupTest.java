// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.css.CssTree;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The choice of a method, and that it changes no answer. */
final class BatchLookupTest {
  private static final int ENTRIES = 100_000;

  private final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);

  @BeforeEach
  void load() {
    long[] keys = new long[ENTRIES];
    Arrays.setAll(keys, i -> 3L * i - ENTRIES);
    index.bulkload(keys, keys);
  }

  @AfterEach
  void close() {
    index.close();
  }

  @ParameterizedTest
  @EnumSource
  void everyMethodGivesTheSameValues(ProbeMethod method) {
    long[] keys = new SplittableRandom(1).longs(30_000, -2L * ENTRIES, 3L * ENTRIES).toArray();
    keys[5] = Long.MIN_VALUE;
    keys[6] = Long.MAX_VALUE;
    long[] expected = Arrays.stream(keys).map(index::get).toArray();
    long[] values = new long[keys.length];
    BatchLookup.of(index).getAll(method, keys, 0, values, 0, keys.length);
    assertArrayEquals(expected, values);

    long[] same = keys.clone();
    BatchLookup.of(index).getAll(method, same, 10, same, 0, same.length - 10);
    assertArrayEquals(
        Arrays.copyOfRange(expected, 10, expected.length), Arrays.copyOf(same, same.length - 10));
    BatchLookup.of(index).getAll(method, keys, 0, values, 0, 0);
  }

  @Test
  void fewKeysAreNotWorthMoreThanTheSimplest() {
    BatchLookup lookup = BatchLookup.of(index);
    assertEquals(ProbeMethod.SINGLE, lookup.choose(1).method());
    assertEquals(ProbeMethod.GROUP, lookup.choose(2).method());
    assertEquals(ProbeMethod.GROUP, lookup.choose(4095).method());
  }

  @Test
  void twoKeysAreNoGroupForATreeOfManyLevels() {
    try (LongIndex css = CssTree.create(IndexOptions.DEFAULT)) {
      assertEquals(ProbeMethod.SINGLE, BatchLookup.of(css).choose(2).method());
      assertEquals(ProbeMethod.GROUP, BatchLookup.of(css).choose(3).method());
    }
  }

  @Test
  void smallTreeIsNotBuffered() {
    ProbeChoice choice = BatchLookup.of(index).choose(10_000_000);
    assertEquals(ProbeMethod.GROUP, choice.method(), choice.reason());
    assertTrue(
        choice.reason().startsWith("computed for 8388608 keys and more: single "), choice.reason());
  }

  @Test
  void orderOfTheKeysIsNoticed() {
    long[] keys = new long[5000];
    Arrays.setAll(keys, i -> i);
    index.getAll(keys, new long[keys.length]);
    assertEquals(
        "the keys are in ascending order already",
        BatchLookup.of(index).lastChoice().orElseThrow().reason());
    keys[4999] = keys[0];
    keys[78 * 2] = Long.MAX_VALUE;
    index.getAll(keys, new long[keys.length]);
    assertTrue(
        BatchLookup.of(index).lastChoice().orElseThrow().reason().startsWith("computed"),
        "a sample of neighbours is compared");
  }

  @Test
  @Tag("thorough") // Measuring takes seconds.
  void calibrationIsKeptUntilTheIndexHasChangedMuch() {
    ProbeCosts measured = BatchLookup.of(index).calibrate();
    assertNotNull(measured.measured());
    assertEquals(measured, BatchLookup.of(index).costs());
    assertTrue(BatchLookup.of(index).choose(100_000).reason().startsWith("measured"));
    index.removeRange(0, true, 2L * ENTRIES, true);
    assertNull(BatchLookup.of(index).costs().measured());
  }

  /** Buffering paper, figure 5. */
  @Test
  void calibrationTriesEveryDivisionOfAVirtualNode() {
    assertEquals(
        Set.of(
            VirtualNodes.of(3, 2),
            VirtualNodes.of(1, 1, 1, 2),
            VirtualNodes.of(1, 2, 2),
            VirtualNodes.of(2, 1, 2),
            VirtualNodes.of(3, 1, 1)),
        Calibration.candidates(VirtualNodes.of(3, 2)));
    assertEquals(12, Calibration.candidates(VirtualNodes.of(12)).size(), "whole, or in two");
  }

  @Test
  void calibrationPutsTheBestDivisionsOfAllVirtualNodesTogether() {
    Map<VirtualNodes, Double> nanos =
        Map.of(
            VirtualNodes.of(3, 2), 100.0,
            VirtualNodes.of(1, 1, 1, 2), 80.0,
            VirtualNodes.of(1, 2, 2), 90.0,
            VirtualNodes.of(2, 1, 2), 60.0,
            VirtualNodes.of(3, 1, 1), 80.0);
    VirtualNodes analysed = VirtualNodes.of(3, 2);
    assertEquals(VirtualNodes.of(2, 1, 1, 1), Calibration.combined(analysed, nanos::get));
    Map<VirtualNodes, Double> noisy = new HashMap<>(nanos);
    noisy.put(VirtualNodes.of(3, 1, 1), 90.0);
    assertEquals(VirtualNodes.of(2, 1, 2), Calibration.combined(analysed, noisy::get));
    noisy.put(VirtualNodes.of(2, 1, 2), 100.0);
    noisy.put(VirtualNodes.of(1, 1, 1, 2), 100.0);
    assertEquals(analysed, Calibration.combined(analysed, noisy::get));
  }
}
