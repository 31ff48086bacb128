// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.BufferPool;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class RecoveryTimesTest {
  private static String printed(String... words) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      assertEquals(0, new CommandLine(new RecoveryTimes()).execute(words));
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  @Tag("thorough")
  void theLineSaysHowLargeTheSharedPoolIs() {
    long mebibytes = BufferPool.mostSharedBytes() >> 20;
    String printed = printed("--puts=1000", "--rounds=1", "--strings=2", "--pool=0");
    assertTrue(printed.startsWith("1,000 random puts, "), printed);
    assertTrue(printed.contains("pool of " + mebibytes + " MiB: "), printed);
  }
}
