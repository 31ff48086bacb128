// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;

/** What tests of commands over an index file have in common: the file, and ways to fill it. */
abstract class IndexFileCommands {
  static final int PAGE = 4096;

  @TempDir Path folder;

  final Path index() {
    return folder.resolve("index.esp");
  }

  final Path csv(String text) throws IOException {
    return Files.writeString(folder.resolve("input.csv"), text);
  }

  final CommandRun run(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command, index().toString()));
    all.addAll(List.of(arguments));
    return CommandRun.of(all.toArray(String[]::new));
  }

  final CommandRun load(String lines, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(csv(lines).toString()));
    arguments.addAll(List.of(options));
    CommandRun run = run("load", arguments.toArray(String[]::new));
    assertEquals("", run.err());
    assertEquals(0, run.status());
    return run;
  }

  /** Entries 1 to {@code count}, each key with its negative as value. */
  static String lines(long count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(key -> key + "," + -key + "\n")
        .collect(Collectors.joining());
  }
}
