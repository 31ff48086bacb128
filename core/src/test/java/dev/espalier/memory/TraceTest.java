// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

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

  /** Returns reads, writes and prefetched lines of an operation. */
  private static int[] counts(List<String> lines, String operation) {
    String line =
        lines.stream().filter(each -> each.startsWith(operation + " ")).findFirst().orElseThrow();
    return Arrays.stream(line.substring(operation.length() + 1).split(" "))
        .mapToInt(Integer::parseInt)
        .toArray();
  }
}
