// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.ratios.Ratios;
import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class NativeRequirementTest {
  private static final NativeStatus PRESENT = new NativeStatus(State.AVAILABLE, "loaded", "");
  private static final NativeStatus ABSENT =
      new NativeStatus(State.ACCESS_DENIED, "no access", "add the flag");

  @Test
  void requiredAndAbsentIsAnErrorWithReasonAndRemedy() {
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class, () -> NativeRequirement.check("required", ABSENT));
    assertTrue(
        String.valueOf(e.getMessage()).contains("ACCESS_DENIED: no access; add the flag"),
        e.getMessage());
    assertTrue(
        String.valueOf(e.getMessage()).contains("-Despalier.bench.native=any"), e.getMessage());
  }

  @Test
  void presentOrNotRequiredPasses() {
    assertDoesNotThrow(() -> NativeRequirement.check("required", PRESENT));
    assertDoesNotThrow(() -> NativeRequirement.check("any", ABSENT));
  }

  @Test
  void otherRequirementsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> NativeRequirement.check("maybe", PRESENT));
  }

  @Test
  void benchmarksEndAfterTheHeaderWhenNativeIsAbsent() throws Exception {
    assertEndsAfterHeader(Benchmarks.class);
  }

  @Test
  void ratiosEndAfterTheHeaderWhenNativeIsAbsent() throws Exception {
    assertEndsAfterHeader(Ratios.class);
  }

  /** Runs a main class in a JVM without native access, whatever the machine has. */
  private static void assertEndsAfterHeader(Class<?> main)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Despalier.native=off",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(1, process.waitFor(), output);
    assertTrue(output.contains("native:      SWITCHED_OFF"), output);
    assertTrue(output.contains("native code is required but not in use"), output);
  }
}
