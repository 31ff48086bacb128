// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks up keys in an index file. */
@Command(
    name = "get",
    description = {
      "Looks up keys in an index file and prints their entries as lines key,value.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Exit status: 0 if all keys were found; 1 if some were not, which are named on standard"
          + " error, or if the file can't be read or the output can't be written; 2 wrong"
          + " arguments."
    })
final class GetCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final EntryArguments entries = new EntryArguments();

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "KEY",
      description = "The keys, written as --keys says.")
  private List<String> keys = new ArrayList<>();

  @Override
  public Integer call() {
    return entries.read(spec, this::lookUp);
  }

  private int lookUp(TextIndex index) {
    EntryWriter writer = entries.writer(spec.commandLine().getOut());
    boolean[] complete = {true};
    index.get(
        keys,
        writer,
        missing -> {
          complete[0] = false;
          spec.commandLine().getErr().printf("espalier get: no entry with key %s%n", missing);
        });
    int status = writer.end();
    return complete[0] ? status : ExitCode.SOFTWARE;
  }
}
