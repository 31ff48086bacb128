// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DoctorCommandTest {

  @Test
  void reportsEveryPartOfTheMachine() {
    CommandRun run = CommandRun.of("doctor");
    assertEquals(0, run.status(), run.err());
    assertEquals("", run.err());
    List<String> names = run.out().lines().map(line -> line.substring(0, 15).strip()).toList();
    assertEquals(
        List.of(
            "JDK",
            "Machine",
            "Prefetch",
            "Virtual memory",
            "SIMD",
            "Huge pages",
            "Caches",
            "T1",
            "Tnext"),
        names);
    assertTrue(line(run, "JDK").contains(Runtime.version().toString()));
    assertTrue(line(run, "Prefetch").startsWith(Prefetch.isNative() ? "on: " : "off: "));
    assertTrue(line(run, "SIMD").startsWith(Keys.SIMD ? "on, " : "off: "));
    assertTrue(line(run, "T1").matches("\\d+\\.\\d ns, in a region of \\d+ MiB"));
    assertTrue(line(run, "Tnext").matches("\\d+\\.\\d ns"));
  }

  private static String line(CommandRun run, String name) {
    return run.out()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .findFirst()
        .orElseThrow()
        .substring(16);
  }
}
