// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.cola.TracedMerges;
import dev.espalier.paged.TracedSplits;
import dev.espalier.pma.TracedRebalances;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A simulation of updates is worth nothing if entries are moved past the trace. */
final class TracedUpdatesTest {

  @ParameterizedTest
  @ValueSource(classes = {TracedMerges.class, TracedRebalances.class})
  void whatUpdatesMoveIsReadAndWrittenInTheTrace(Class<?> program)
      throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(program);
    String[] fields = lines.getFirst().split(" ");
    long moved = Long.parseLong(fields[1]);
    assertTrue(moved > 1_000_000, lines.toString());
    assertTrue(Long.parseLong(fields[2]) >= moved, lines.toString());
    assertTrue(Long.parseLong(fields[3]) >= moved, lines.toString());
  }

  /** The rest is room for two headers, a new root and its entries. */
  @Test
  void splitOfAPageWritesItsUpperHalfAlone() throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(TracedSplits.class);
    String[] fields = lines.getFirst().split(" ");
    long moved = Long.parseLong(fields[1]);
    long written = Long.parseLong(fields[3]);
    assertTrue(written >= moved && written < moved + moved / 8, lines.toString());
  }
}
