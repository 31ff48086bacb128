// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Scripts in place of the programs that are measured. */
final class Script {
  private Script() {}

  /** Makes a shell script. */
  static void write(Path file, String lines) throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + lines);
    assertTrue(file.toFile().setExecutable(true));
  }
}
