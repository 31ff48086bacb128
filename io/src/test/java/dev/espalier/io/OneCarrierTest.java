// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * The tests of virtual threads where these have one carrier, in a JVM of its own: how many there
 * are is settled with the first virtual thread.
 */
@Tag("fallback-thorough")
@Timeout(600)
class OneCarrierTest {
  private static final String SCHEDULER = "-Djdk.virtualThreadScheduler.";

  @Test
  void virtualThreadsDoTheirWorkOnOneCarrier() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add(SCHEDULER + "parallelism=1");
    command.add(SCHEDULER + "maxPoolSize=1");
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("espalier."))
        .forEach(name -> command.add("-D%s=%s".formatted(name, System.getProperty(name))));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(OneCarrierTest.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Runs the tests; the status is how many failed. */
  public static void main(String[] arguments) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(OffCarrierTest.class), selectClass(VirtualThreadsTest.class))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    System.exit(Math.toIntExact(summary.getTestsFailedCount()));
  }
}
