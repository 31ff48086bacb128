// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The numbers of invariants that stand in the sources, for tests that none is left out. */
public final class InvariantNumbers {
  private static final Path SOURCES =
      Path.of(System.getProperty("basedir", "")).resolve("src/main/java/dev/espalier");

  private InvariantNumbers() {}

  /** Returns the numbers stated in the overview of a class, given as {@code package/Class}. */
  public static Set<String> stated(String type) throws IOException {
    return matches(type, "\\* {3}(I\\d+) ");
  }

  /** Returns the numbers that a verifier reports. */
  public static Set<String> checked(String type) throws IOException {
    return matches(type, "\"(I\\d+)\"");
  }

  private static Set<String> matches(String type, String pattern) throws IOException {
    String source = Files.readString(SOURCES.resolve(type + ".java"));
    return Pattern.compile(pattern)
        .matcher(source)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
