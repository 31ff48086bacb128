// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongIndex;
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

  @Mixin private final ReaderArguments reader = new ReaderArguments();

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "KEY",
      description = "The keys: decimal numbers from -2^63 to 2^63-1.")
  private long[] keys = {};

  @Override
  public Integer call() {
    return reader.read(this::lookUp);
  }

  private int lookUp(LongIndex index) {
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    EntryWriter entries = new EntryWriter(spec.commandLine().getOut());
    boolean complete = true;
    for (int i = 0; i < keys.length; i++) {
      if (values[i] != index.missingValue() || index.containsKey(keys[i])) {
        entries.add(keys[i], values[i]);
      } else {
        complete = false;
        spec.commandLine().getErr().printf("espalier get: no entry with key %d%n", keys[i]);
      }
    }
    int status = entries.end();
    return complete ? status : ExitCode.SOFTWARE;
  }
}
