// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link RatioWorker} in a JVM of its own, seen from outside. */
final class WorkerProcess implements AutoCloseable {
  private final Role role;
  private final Process process;
  private final Writer requests;
  private final BufferedReader answers;

  /**
   * Starts the JVM and waits until it is warm.
   *
   * @param jvmFlags for this JVM beside those of its role
   * @throws IllegalStateException if the JVM ends instead; it has said why on standard error
   */
  WorkerProcess(Role role, long entries, List<String> jvmFlags) {
    this.role = role;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(role.jvmFlags());
    command.add("-Xmx" + (role.heapBytes(entries) >> 20) + "m");
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(RatioWorker.class.getName());
    command.addAll(
        List.of(role.type().name(), Long.toString(entries), Boolean.toString(role.polluted())));
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requests = process.outputWriter();
    answers = process.inputReader();
    String first = answer("start");
    if (!first.equals(RatioWorker.READY)) {
      close();
      throw new IllegalStateException("the JVM of " + role.name() + " began with: " + first);
    }
  }

  /** Returns what this JVM stands for. */
  Role role() {
    return role;
  }

  /**
   * Has it measured, and waits.
   *
   * @throws IllegalStateException if the worker ended instead; it has said why on standard error
   */
  double measure(Measure measure) {
    try {
      requests.write(measure + "\n");
      requests.flush();
    } catch (IOException e) {
      // A broken pipe: the JVM has ended.
      throw new IllegalStateException(failure(measure.name()), e);
    }
    return Double.parseDouble(answer(measure.name()));
  }

  private String answer(String task) {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException(failure(task));
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String failure(String task) {
    return "the JVM of " + role.name() + " failed at " + task;
  }

  /** Ends the JVM. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
