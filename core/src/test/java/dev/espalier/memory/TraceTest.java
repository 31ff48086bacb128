// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TraceTest {
  /** Slots of an inner node and of a leaf that the kernel without SIMD reads at width 8. */
  private static final int SEARCH_READS = (4 + 8) + (3 + 8);

  @Test
  void withoutThePropertyAListenerIsRefused() {
    assertThrows(IllegalStateException.class, () -> Trace.to(null));
  }

  @Test
  void everyAccessOfAnOperationIsSeen() throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(TracedProgram.class);
    assertEquals("simd false", lines.get(0));
    int[] contains = counts(lines, "contains");
    int[] get = counts(lines, "get");
    int[] put = counts(lines, "put");
    // Two searches, one child, and of the leaf the key found and the count.
    assertEquals(SEARCH_READS + 3, contains[0]);
    assertEquals(0, contains[1]);
    // The value more; the value lines of the leaf prefetched.
    assertEquals(SEARCH_READS + 4, get[0]);
    assertEquals(0, get[1]);
    assertEquals(4, get[2]);
    // The key, the value and the count at least.
    assertTrue(put[1] >= 3, "writes of put: " + put[1]);
  }

  /** 5,000 entries have 625 leaves; above them are 70, 8 and 1 nodes, which stay in the cache. */
  @Test
  void groupOfProbesReadsALineOfACssTreePerLevelAndPrefetchesLeavesAndValues()
      throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(TracedProgram.class);
    int levels = 3;
    int[] one = counts(lines, "cssSmallOne");
    // Eight keys of each node and of the leaf, then the key found and its value.
    assertArrayEquals(new int[] {8 * levels + 8 + 2, 0, 2, levels + 2}, one);
    int[] group = counts(lines, "cssSmallGroup");
    // All nodes but the last of the lowest level, each probe's leaf, and each probe's value.
    assertArrayEquals(new int[] {128 * one[0], 0, 128 * 2, 1 + 8 + 69 + 128 + 128}, group);
  }

  /**
   * 1,200,000 entries have 150,000 leaves; the level of their 16,667 parents is larger than the
   * cache, the five above it are not.
   */
  @Test
  void groupOfProbesPrefetchesTheLevelsOfACssTreeThatAreNotCached()
      throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(TracedProgram.class);
    int levels = 6;
    assertArrayEquals(
        new int[] {8 * levels + 8 + 2, 0, 3, levels + 2}, counts(lines, "cssLargeOne"));
    // Of the 206 nodes on the third level from the top and on all below, a probe each.
    assertArrayEquals(
        new int[] {128 * (8 * levels + 8 + 2), 0, 128 * 3, 1 + 3 + 23 + 128 * 5},
        counts(lines, "cssLargeGroup"));
  }

  /** Returns reads, writes, prefetched lines and different lines read of an operation. */
  private static int[] counts(List<String> lines, String operation) {
    String line =
        lines.stream().filter(each -> each.startsWith(operation + " ")).findFirst().orElseThrow();
    return Arrays.stream(line.substring(operation.length() + 1).split(" "))
        .mapToInt(Integer::parseInt)
        .toArray();
  }
}
