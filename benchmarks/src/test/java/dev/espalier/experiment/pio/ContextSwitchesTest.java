// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ContextSwitchesTest {

  @Test
  void aThreadThatSleepsGivesUpTheProcessorEachTime() throws InterruptedException {
    assumeTrue(Files.exists(Path.of("/proc/self/task")), "not Linux");
    ContextSwitches switches = new ContextSwitches();
    for (int i = 0; i < 20; i++) {
      Thread.sleep(1);
    }
    long since = switches.since();
    assertTrue(since >= 20, () -> since + " switches");
  }
}
