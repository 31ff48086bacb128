// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.io.CorruptPageException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints all entries of an index file. */
@Command(
    name = "dump",
    description = {
      "Prints all entries of an index file, as lines key,value in ascending order. 'espalier load'"
          + " reads such lines.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "With --last-checkpoint, it skips what can't be read, and lists the ranges of keys that are"
          + " missing on standard error.",
      "",
      "Exit status: 0 success; 1 if the file can't be read, entries are missing, or the output"
          + " can't be written; 2 wrong arguments."
    })
final class DumpCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final ReaderArguments reader = new ReaderArguments();

  @Override
  public Integer call() {
    if (reader.lastCheckpoint()) {
      boolean isClean = reader.describe().isClean();
      return reader.read(index -> dumpWhatIsLeft(index, isClean));
    }
    try {
      return reader.read(this::dump);
    } catch (CorruptPageException damage) {
      throw new CommandFailure(
          damage.getMessage() + "; --last-checkpoint skips what is damaged", damage);
    }
  }

  private int dumpWhatIsLeft(LongIndex index, boolean isClean) {
    PrintWriter err = spec.commandLine().getErr();
    EntryWriter entries = new EntryWriter(spec.commandLine().getOut());
    Salvage salvage = new Salvage(index, entries);
    salvage.run(
        (first, last, reason) ->
            err.printf(
                "%s: keys %d to %d are missing: %s%n",
                spec.qualifiedName(), first, last, reason.getMessage()));
    int status = entries.end();
    if (!isClean) {
      err.printf(
          Locale.ROOT,
          "%s: %s was not closed; found %,d entries, without the last writes%n",
          spec.qualifiedName(),
          reader.path(),
          salvage.found());
    }
    return isClean && salvage.isComplete() ? status : ExitCode.SOFTWARE;
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
