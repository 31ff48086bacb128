// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The whole program, on very little data. */
final class RatiosTest {

  @Test
  void everyChosenLineOfTheTableIsMeasured() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    Output output = run("--entries=20k", "--forks=1", "--rounds=1", "--put-rounds=1");
    assertEquals(0, output.status, output.text);
    List<String> targets = output.tableAfter("| work | target |");
    assertEquals(13, targets.size(), output.text);
    for (String target : targets) {
      assertTrue(target.matches(".*\\| [0-9.]+[x%]? \\| (yes|\\*\\*no\\*\\*) \\|"), target);
    }
    assertTrue(targets.stream().anyMatch(line -> line.contains("after a full bulkload")));
  }

  @Test
  void familyIsMeasured() throws Exception {
    assumeTrue(Prefetch.isNative(), "built without a C compiler");
    String trees = "--trees=CssTree,CsbPlusTree";
    Output output = run(Family.class, trees, "--entries=20k", "--forks=1", "--rounds=1");
    assertEquals(0, output.status, output.text);
    assertEquals(6, output.tableAfter("| work | target |").size(), output.text);
  }

  @Test
  void wrongSizeIsRefused() throws Exception {
    Output output = run("--entries=many");
    assertEquals(1, output.status, output.text);
    assertTrue(output.text.contains("size is 'many'"), output.text);
  }

  private record Output(int status, String text) {

    List<String> tableAfter(String header) {
      return text.lines()
          .dropWhile(line -> !line.startsWith(header))
          .skip(2)
          .takeWhile(line -> !line.isBlank())
          .toList();
    }
  }

  private static Output run(String... arguments) throws IOException, InterruptedException {
    return run(Ratios.class, arguments);
  }

  private static Output run(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                "-Despalier.bench.native=any",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), text);
  }
}
