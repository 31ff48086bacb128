// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line in a JVM of its own, for what can't be tested within one. */
final class ChildProcess {
  private static final long PATIENCE_SECONDS = 120;

  private final Process process;
  private final Path out;
  private final Path err;

  private ChildProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Returns the command that runs the command line, with JVM options first. */
  static List<String> command(List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Espalier.class.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Starts a command.
   *
   * @param folder for what it writes to its streams
   */
  static ChildProcess start(Path folder, List<String> command) throws IOException {
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    return new ChildProcess(process, out, err);
  }

  /** Sends a signal, such as INT, if the process has not ended. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -s %s %d".formatted(name, process.pid()))
        .redirectErrorStream(true)
        .start()
        .waitFor();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end and returns what happened. */
  CommandRun await() throws IOException, InterruptedException {
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue(ended, "the process does not end");
    return new CommandRun(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  /** Runs a command to its end, which must be a good one. */
  static void run(Path folder, List<String> command) throws IOException, InterruptedException {
    CommandRun run = start(folder, command).await();
    assertEquals(0, run.status(), run.err());
  }
}
