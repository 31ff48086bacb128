// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A {@link CrashWriter} in a process of its own, with the options of this one. */
final class CrashProcess {
  /** SIGKILL, as Java tells it. */
  private static final int KILLED = 128 + 9;

  private final Process process;
  private final CrashHistory history;
  private final CountDownLatch opened = new CountDownLatch(1);
  private final Thread reader;
  private final Path errors;

  private CrashProcess(Process process, CrashHistory history, Path errors) {
    this.process = process;
    this.history = history;
    this.errors = errors;
    this.reader = Thread.ofPlatform().daemon().name("crash writer").start(this::read);
  }

  /**
   * Starts a writer.
   *
   * @param history is told what the writer says; not to be used before {@link #kill} has returned
   */
  static CrashProcess start(Path store, String variant, long seed, CrashHistory history) {
    Path errors = store.resolveSibling("writer.txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (!option.startsWith("-agentlib:") && !option.startsWith("-javaagent:")) {
        command.add(option); // An agent may want a port or a file to itself.
      }
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of(CrashWriter.class.getName(), store.toString(), variant, Long.toString(seed)));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    return Interruption.uninterrupted(
        () -> {
          try {
            Process process = builder.start();
            Interruption.killAtEnd(process);
            return new CrashProcess(process, history, errors);
          } catch (IOException e) {
            throw new CommandFailure("can't start a process: " + e.getMessage(), e);
          }
        });
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        history.add(line);
        if (line.startsWith(CrashWriter.OPENED)) {
          opened.countDown();
        }
      }
    } catch (IOException e) {
      // The pipe of a process that was killed; what it has said was read.
    } finally {
      opened.countDown();
    }
  }

  /** Waits until the store is open, or the process has ended. */
  void awaitOpening() throws InterruptedException {
    opened.await();
  }

  /**
   * Kills the process and waits for its end.
   *
   * @return what it said if it had ended before, or an empty string
   */
  String kill() throws InterruptedException {
    // Process.destroyForcibly would close the pipe as well, before its last lines were read.
    process.toHandle().destroyForcibly();
    int status = process.waitFor();
    reader.join(TimeUnit.MINUTES.toMillis(1));
    Interruption.forget(process);
    return status == KILLED
        ? ""
        : "the writer ended by itself, with status %d%s".formatted(status, firstError());
  }

  private String firstError() {
    try {
      return Files.readAllLines(errors).stream()
          .filter(line -> !line.toUpperCase(Locale.ROOT).startsWith("WARNING"))
          .findFirst()
          .map(line -> ": " + line)
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }
}
