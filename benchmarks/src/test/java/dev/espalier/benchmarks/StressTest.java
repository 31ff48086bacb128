// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each of jcstress's tests for a moment, in a JVM as it comes; if nothing is left out, in all modes
 * of the compilers that jcstress finds, which takes ten times as long.
 */
@Tag("thorough")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StressTest {
  private static final List<String> TESTS =
      List.of(
          "VersionWordStress.ChangeOfANode",
          "VersionWordStress.TwoWriters",
          "PublicationStress.NewChild",
          "PublicationStress.NodeUsedAgain",
          "PublicationStress.NewRoot",
          "PublicationStress.DescentByCount",
          "ChangeoverStress.Changeover");

  @Test
  void nothingForbiddenIsSeen(@TempDir Path folder) throws Exception {
    Path out = folder.resolve("out.txt");
    List<String> options =
        new ArrayList<>(List.of("-v", "-f", "1", "-iters", "1", "-time", "50", "-sc", "false"));
    if (!TestSize.isExhaustive()) {
      options.addAll(List.of("-jvmArgs", "-XX:+UseSerialGC"));
    }
    int status =
        Stress.process(folder, options)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start()
            .waitFor();
    String text = Files.readString(out);
    assertEquals(0, status, text);
    for (String test : TESTS) {
      assertTrue(text.contains("[OK] dev.espalier.concurrent." + test), () -> test + ": " + text);
    }
  }
}
