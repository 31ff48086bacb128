// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import dev.espalier.cli.AsciiDigits;
import dev.espalier.cli.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** Programs that run until they end, and have to end well. */
final class Program {
  private Program() {}

  /**
   * Runs one whose output is seen.
   *
   * @throws CommandFailure if it fails
   */
  static void show(Path folder, List<String> words) {
    Process process = start(new ProcessBuilder(words).directory(folder.toFile()).inheritIO());
    int status = status(process);
    if (status != 0) {
      throw failure(words, status);
    }
  }

  /**
   * Runs one in silence; what it wrote is seen only if it fails.
   *
   * @return what it wrote
   * @throws CommandFailure if it fails
   */
  static String output(Path folder, List<String> words) {
    Process process =
        start(new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true));
    String output;
    try {
      output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int status = status(process);
    if (status != 0) {
      System.err.print(output);
      throw failure(words, status);
    }
    return output;
  }

  private static Process start(ProcessBuilder program) {
    try {
      return program.start();
    } catch (IOException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()), e);
    }
  }

  private static int status(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted", e);
    }
  }

  private static CommandFailure failure(List<String> words, int status) {
    return new CommandFailure("exit status %d of: %s".formatted(status, String.join(" ", words)));
  }

  /** Runs a command that measures programs, and explains their failure in one line. */
  static int execute(Object command, String... arguments) {
    CommandLine explaining =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  if (!(failure instanceof CommandFailure)) {
                    throw failure;
                  }
                  line.getErr().println(line.getCommandName() + ": " + failure.getMessage());
                  return CommandLine.ExitCode.SOFTWARE;
                });
    return AsciiDigits.execute(explaining, arguments);
  }
}
