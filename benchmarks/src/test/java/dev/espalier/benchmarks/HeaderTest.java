// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HeaderTest {

  @Test
  void headerNamesEverythingResultsDependOn() {
    List<String> lines = Header.lines();
    assertEquals(
        List.of("CPU", "data caches", "huge pages", "JVM", "JVM flags", "commit", "native", "SIMD"),
        lines.stream().map(line -> line.substring(0, line.indexOf(':'))).toList());
    for (String line : lines) {
      assertFalse(line.substring(line.indexOf(':') + 1).isBlank(), line);
    }
  }
}
