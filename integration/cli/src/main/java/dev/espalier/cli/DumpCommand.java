// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints all entries of an index file. */
@Command(
    name = "dump",
    description = {
      "Prints all entries of an index file, as lines key,value, in ascending order: what 'espalier"
          + " load' reads.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Exit status: 0 for success; 1 if the file can't be read, or, without a message, if the"
          + " output can't be written any more; 2 for wrong arguments."
    })
final class DumpCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final ReaderArguments reader = new ReaderArguments();

  @Override
  public Integer call() {
    return reader.read(this::dump);
  }

  private int dump(LongIndex index) {
    EntryWriter entries = new EntryWriter(spec.commandLine().getOut());
    LongCursor cursor = index.cursor();
    boolean canWrite = true;
    while (canWrite && cursor.next()) {
      canWrite = entries.add(cursor.key(), cursor.value());
    }
    return entries.end();
  }
}
