// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.cli.CommandFailure;
import dev.espalier.patterns.Pattern;
import dev.espalier.patterns.PatternCounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The lines that trees touch, counted in a JVM that traces. */
final class CountedLines {
  private CountedLines() {}

  /** Returns the lines of an operation, by tree and pattern. */
  static Map<String, Map<Pattern, Double>> count() {
    Map<String, Map<Pattern, Double>> counts = new LinkedHashMap<>();
    for (String line : output().lines().toList()) {
      String[] fields = line.split(" ", -1);
      counts
          .computeIfAbsent(fields[0], _ -> new EnumMap<>(Pattern.class))
          .put(Pattern.valueOf(fields[1]), Double.valueOf(fields[2]));
    }
    return counts;
  }

  private static String output() {
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Despalier.trace=true",
                  "-cp",
                  System.getProperty("java.class.path"),
                  PatternCounts.class.getName())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new CommandFailure("the JVM that counts lines failed");
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted");
    }
  }
}
