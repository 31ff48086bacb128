// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs jcstress over what threads may see of version words, of new nodes and roots, and of the
 * changeover of an index; ends with a failure if they see what is forbidden. Beside each test
 * stands one whose scheme has a fault, {@code Fault...}: what it shows is marked as interesting.
 */
public final class Stress {
  private static final Path FOLDER = Path.of("benchmarks", "target", "stress");

  private Stress() {}

  /**
   * Runs jcstress in a JVM of its own, which leaves its results in {@code
   * benchmarks/target/stress}.
   *
   * @param arguments its options; {@code -t '\.(?!Fault)\w+$'} leaves the faults out
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Files.createDirectories(FOLDER);
    System.exit(process(FOLDER, List.of(arguments)).inheritIO().start().waitFor());
  }

  /**
   * Returns what runs jcstress.
   *
   * @param folder for its results
   */
  static ProcessBuilder process(Path folder, List<String> arguments) {
    String jvm = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command =
        new ArrayList<>(List.of(jvm, "--enable-native-access=ALL-UNNAMED", "-cp", path));
    command.add("org.openjdk.jcstress.Main");
    command.addAll(List.of("-r", "."));
    command.addAll(List.of("-jvmArgsPrepend", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(arguments);
    return new ProcessBuilder(command).directory(folder.toFile());
  }
}
