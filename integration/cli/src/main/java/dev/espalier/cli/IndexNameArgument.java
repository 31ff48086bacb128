// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which index of a file a command works on. */
final class IndexNameArgument {

  @Option(
      names = "--index",
      paramLabel = "NAME",
      description = "Which index, in a file with several. Default: the only one.")
  private @Nullable String name;

  /** Returns the name, or nothing if the file's only index is meant. */
  Optional<String> name() {
    return Optional.ofNullable(name);
  }
}
