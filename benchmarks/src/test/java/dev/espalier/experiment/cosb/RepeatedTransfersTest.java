// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.TracedJvm;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Counts of block transfers are the same wherever the system puts memory. */
class RepeatedTransfersTest {
  @Tag("thorough")
  @Test
  void whatIsCountedTwiceIsCountedAlike() throws IOException, InterruptedException {
    List<String> lines = TracedJvm.run(RepeatedTransfers.class);
    assertEquals(CountedStructure.all().size(), lines.size(), lines.toString());
    for (String line : lines) {
      String[] counts = line.substring(line.indexOf('[') + 2, line.length() - 2).split("\\], \\[");
      assertEquals(RepeatedTransfers.COUNTS, counts.length, line);
      for (String count : counts) {
        assertEquals(counts[0], count, line);
      }
    }
  }
}
