// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.cli.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Espalier in an engine, beside what else the engine has: runs the test class that measures it. */
@Command(
    name = "engines",
    description = "Espalier in Calcite, Flink or Kafka Streams, beside what else there is.",
    mixinStandardHelpOptions = true)
public final class Engines implements Runnable {
  /** Where the build is: the script changes into it. */
  private static final Path ROOT = Path.of("").toAbsolutePath();

  private final List<String> maven;

  @Parameters(paramLabel = "ENGINE", description = "What is measured: calcite, flink or kafka.")
  private Engine engine = Engine.CALCITE;

  @Option(
      names = "-D",
      paramLabel = "NAME=VALUE",
      description =
          "For the class that measures, whose comment names all: -Dscale=1 -Drounds=3 for Calcite.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Mixin private final Publication publication = new Publication();

  private Engines() {
    this(List.of("mvn", "-B", "-ntp"));
  }

  Engines(List<String> maven) {
    this.maven = List.copyOf(maven);
  }

  /** Measures, and ends the process. */
  public static void main(String[] arguments) {
    System.exit(Program.execute(new Engines(), arguments));
  }

  @Override
  public void run() {
    Path figures = newFile();
    try {
      Program.show(ROOT, command(figures));
      String text = Files.readString(figures);
      if (text.isBlank()) {
        throw new CommandFailure("Maven ended well, but " + engine.test() + " wrote no figures");
      }
      for (PrintedTable table : FigureTables.of(text)) {
        System.out.println();
        publication.print(table);
      }
      publication.write();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      delete(figures);
    }
  }

  private List<String> command(Path figures) {
    List<String> command = new ArrayList<>(maven);
    command.addAll(List.of("verify", "-pl", "integration/" + engine.module(), "-am"));
    command.add("-Dtest=" + engine.test());
    command.add("-Dsurefire.failIfNoSpecifiedTests=false");
    command.add("-Dfigures=" + figures);
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    return command;
  }

  private static Path newFile() {
    try {
      return Files.createTempFile("espalier-figures", ".tsv");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
