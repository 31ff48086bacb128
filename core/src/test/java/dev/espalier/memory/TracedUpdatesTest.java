// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.cola.TracedMerges;
import dev.espalier.paged.TracedSplits;
import dev.espalier.pma.TracedRebalances;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A simulation of updates is worth nothing if entries are moved past the trace. */
final class TracedUpdatesTest {

  /** Bytes of what is known to have moved, and those that a trace saw. */
  private record Traced(long moved, long read, long written) {
    static Traced by(Class<?> program) throws IOException, InterruptedException {
      String[] fields = TracedJvm.run(program).getFirst().split(" ");
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
}
