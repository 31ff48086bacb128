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
      converter = ByteCount.class,
      description =
          "Memory for the file's pages. The units K, M and G are 1024, 1024² and 1024³ bytes."
              + " Default: a pool that grows up to a quarter of the memory of the process.")
  private long poolBytes = FileOptions.SHARED_POOL;

  @Option(
      names = "--stripe",
      paramLabel = "FILE",
      description =
          "Another file, best on another disk, to spread the pages over. Repeat it for more files."
              + " Always name the same files in the same order.")
  private List<Path> stripes = new ArrayList<>();

  Path path() {
    return path;
  }

  FileOptions options() {
    return FileOptions.DEFAULT.withPoolBytes(poolBytes).withStripes(stripes.toArray(Path[]::new));
  }
}
