// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.BufferedReader;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process, which does not end by itself. */
final class KilledProcess {
  private KilledProcess() {}

  /** Starts a main class, kills it after so many lines, and returns the last of them. */
  static String lastLine(Class<?> main, Path folder, int lines) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(main.getName(), folder.toString()));
    Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    String last = "";
    try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
      for (int i = 0; i < lines; i++) {
        last = printed.readLine();
        assertNotNull(last, "the process has ended by itself");
      }
      process.destroyForcibly();
    }
    process.waitFor();
    return last;
  }
}
