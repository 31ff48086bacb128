// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line under a pseudo terminal, which {@code script} of util-linux makes. */
final class TerminalTest {
  private static final String WIPE = "\r\u001b[K";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {40, 80})
  @Tag("thorough")
  void barsFitTheTerminalAndGiveWayToLines(int columns) throws Exception {
    assumeTrue(hasScript(), "no script of util-linux here");
    Path index = folder.resolve("an-index-with-a-name-that-is-too-long-for-a-terminal.esp");
    String load =
        String.join(
            " ",
            ChildProcess.command(
                List.of("-Despalier.terminal=/dev/tty"),
                "load",
                index.toString(),
                "--tpch",
                "0.01"));
    CommandRun run =
        ChildProcess.start(
                folder,
                List.of(
                    "script",
                    "--quiet",
                    "--return",
                    "--command",
                    "stty cols %d && %s".formatted(columns, load),
                    folder.resolve("typescript").toString()))
            .await();
    assertEquals(0, run.status(), run.err() + run.out());
    List<String> bars = List.of(run.out().split("\r\u001b\\[K", -1));
    assertTrue(bars.size() > 3, run.out());
    for (String bar : bars.subList(1, bars.size() - 1)) {
      assertTrue(bar.length() < columns, bar);
      assertEquals(1, bar.lines().count(), bar);
    }
    assertTrue(bars.get(bars.size() - 2).startsWith("[##########"), run.out());
    // What is printed at the end begins in an empty line.
    assertTrue(bars.getLast().startsWith(index + ": FpbLinkTree, 15,000 "), run.out());
    assertTrue(run.out().contains(WIPE + index), run.out());
    assertTrue(Files.exists(index));
  }

  private static boolean hasScript() throws InterruptedException {
    try {
      Process script = new ProcessBuilder("script", "--version").redirectErrorStream(true).start();
      String version = new String(script.getInputStream().readAllBytes());
      return script.waitFor() == 0 && version.contains("util-linux");
    } catch (IOException e) {
      return false;
    }
  }
}
