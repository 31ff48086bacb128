// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.FileOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which index file a command works on, and how: what all commands over index files take. */
final class IndexFileArguments {

  @Parameters(index = "0", paramLabel = "FILE", description = "The index file.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private Path path;

  @Option(
      names = "--pool",
      paramLabel = "BYTES",
      defaultValue = "64M",
      converter = ByteCount.class,
      description =
          "Memory that the file's pages may take, in bytes; K, M and G are units of 1024, 1024² and"
              + " 1024³. Default: 64M.")
  private long poolBytes;

  @Option(
      names = "--stripe",
      paramLabel = "FILE",
      description =
          "A further file, best on another disk, that the pages are spread over in turn. May be"
              + " given several times; always the same files in the same order.")
  private List<Path> stripes = new ArrayList<>();

  Path path() {
    return path;
  }

  FileOptions options() {
    return FileOptions.DEFAULT.withPoolBytes(poolBytes).withStripes(stripes.toArray(Path[]::new));
  }
}
