// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A whole index under the simulator, in JVMs of its own: tracing is chosen when a JVM starts. */
final class SimulatedIndexTest {

  @Test
  @Tag("thorough")
  void seedAloneDecidesOnTheFigures() throws IOException, InterruptedException {
    // Reserved address space and huge pages in one, plain arenas in the other.
    String reserved = simulate("1", "--enable-native-access=ALL-UNNAMED");
    String plain = simulate("1", "-Despalier.native=off");
    assertEquals(reserved, plain);
    assertTrue(reserved.matches("HierarchyCounters\\[accesses=[1-9]\\d+, .*]"), reserved);
    assertNotEquals(plain, simulate("2", "-Despalier.native=off"));
  }

  private static String simulate(String seed, String option)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(option);
    command.addAll(List.of("-Despalier.trace=true", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(SimulatedProgram.class.getName(), seed));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output.strip();
  }
}
