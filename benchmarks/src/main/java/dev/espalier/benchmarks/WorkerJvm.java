// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that measures one thing, seen from outside: it takes requests on standard input and answers
 * on standard output, a line each. Before the first it says that it is ready.
 */
public final class WorkerJvm implements AutoCloseable {
  /** Flags with which native code and SIMD are in use. */
  public static final List<String> FAST =
      List.of("--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector");

  /** LMDB's binding reaches into the JDK; and the heap is to have huge pages, as the trees do. */
  public static final List<String> BESIDE_OTHERS =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "-XX:+UseTransparentHugePages");

  private static final long SECONDS_TO_END = 30;

  private final String name;
  private final Process process;
  private final Writer requests;
  private final BufferedReader answers;

  /**
   * Starts the JVM, with the class path of this one, and waits until it is ready.
   *
   * @param name what it stands for, for messages
   * @param flags for the JVM
   * @param main its main class
   * @param arguments of its main method
   * @param ready the line that it begins with
   * @throws IllegalStateException if the JVM ends instead; it has said why on standard error
   */
  public WorkerJvm(
      String name, List<String> flags, Class<?> main, List<String> arguments, String ready) {
    this.name = name;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(arguments);
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requests = process.outputWriter();
    answers = process.inputReader();
    String first = answer("start");
    if (!first.equals(ready)) {
      close();
      throw new IllegalStateException("the JVM of " + name + " began with: " + first);
    }
  }

  /**
   * Sends a request, and waits for the answer.
   *
   * @throws IllegalStateException if the JVM ended instead; it has said why on standard error
   */
  public String ask(String request) {
    try {
      requests.write(request + "\n");
      requests.flush();
    } catch (IOException e) {
      // A broken pipe: the JVM has ended.
      throw new IllegalStateException(failure(request), e);
    }
    return answer(request);
  }

  private String answer(String request) {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException(failure(request));
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String failure(String request) {
    return "the JVM of " + name + " failed at " + request;
  }

  /** Tells the JVM that no request will follow, so that it ends and deletes its files. */
  @Override
  public void close() {
    try {
      requests.close();
    } catch (IOException e) {
      // A broken pipe: the JVM has ended.
    }
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroy();
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
    process.onExit().join();
  }
}
