// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.TracedRanges;
import dev.espalier.cola.TracedMerges;
import dev.espalier.concurrent.TracedAppends;
import dev.espalier.paged.TracedSplits;
import dev.espalier.pma.TracedRebalances;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A simulation of updates is worth nothing if entries are moved past the trace. */
final class TracedUpdatesTest {

  /** Bytes of what is known to have moved, and those that a trace saw. */
  private record Traced(long moved, long read, long written) {
    static Traced by(Class<?> program) throws IOException, InterruptedException {
      return of(TracedJvm.run(program).getFirst());
    }

    static Traced of(String line) {
      String[] fields = line.split(" ");
      return new Traced(
          Long.parseLong(fields[1]), Long.parseLong(fields[2]), Long.parseLong(fields[3]));
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {TracedMerges.class, TracedRebalances.class})
  void whatUpdatesMoveIsReadAndWrittenInTheTrace(Class<?> program)
      throws IOException, InterruptedException {
    Traced traced = Traced.by(program);
    assertTrue(traced.moved > 1_000_000, traced.toString());
    assertTrue(traced.read >= traced.moved, traced.toString());
    assertTrue(traced.written >= traced.moved, traced.toString());
  }

  /** The rest is room for two headers, a new root and its entries. */
  @Test
  void splitOfAPageWritesItsUpperHalfAlone() throws IOException, InterruptedException {
    Traced traced = Traced.by(TracedSplits.class);
    assertTrue(traced.written >= traced.moved, traced.toString());
    assertTrue(traced.written < traced.moved + traced.moved / 8, traced.toString());
  }

  /**
   * Of a leaf that goes, its count is read and its first word written; where others may be at work,
   * also its latch, and what leads to it. Entry by entry would be many times what moves.
   */
  @Test
  void rangeLeavesWithoutALookAtItsEntries() throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(TracedRanges.class);
    int[] parts = {20, 2, 5, 2};
    assertEquals(parts.length, lines.size());
    for (int i = 0; i < parts.length; i++) {
      Traced traced = Traced.of(lines.get(i));
      assertTrue(traced.moved > 1_000_000, lines.get(i));
      assertTrue(traced.read + traced.written < traced.moved / parts[i], lines.toString());
    }
  }

  /** With a descent, a put reads 30 times the bytes of its entry. */
  @Test
  void entryIsAppendedWithoutADescent() throws IOException, InterruptedException {
    Traced traced = Traced.by(TracedAppends.class);
    assertTrue(traced.moved > 1_000_000, traced.toString());
    assertTrue(traced.read < 16 * traced.moved, traced.toString());
  }
}
