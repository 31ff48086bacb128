// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

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
      "With --last-checkpoint, it skips what can't be read of an index of longs, and lists the"
          + " ranges of keys that are missing on standard error. Of byte strings, 'espalier"
          + " salvage' saves what can be read.",
      "",
      "Exit status: 0 success; 1 if the file can't be read, entries are missing, or the output"
          + " can't be written; 2 wrong arguments."
    })
final class DumpCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final EntryArguments entries = new EntryArguments();

  @Override
  public Integer call() {
    ReaderArguments reader = entries.reader();
    if (reader.lastCheckpoint()) {
      entries.check(spec);
      boolean isClean = reader.describe().isClean();
      return reader.read(
          longs -> dumpWhatIsLeft(longs, isClean),
          strings -> {
            int status = dump(new BytesTextIndex(strings, entries.form(), spec));
            return isClean ? status : notClosed(strings.size());
          });
    }
    try {
      return entries.read(spec, this::dump);
    } catch (CorruptPageException damage) {
      String advice =
          reader.describe().hasByteStrings() ? "" : "; --last-checkpoint skips what is damaged";
      throw new CommandFailure(damage.getMessage() + advice, damage);
    }
  }

  private int dumpWhatIsLeft(LongIndex index, boolean isClean) {
    PrintWriter err = spec.commandLine().getErr();
    EntryWriter writer = entries.writer(spec.commandLine().getOut());
    Salvage salvage = new Salvage(index, writer);
    salvage.run(
        (first, last, reason) ->
            err.printf(
                Locale.ROOT,
                "%s: keys %d to %d are missing: %s%n",
                spec.qualifiedName(),
                first,
                last,
                reason.getMessage()));
    int status = writer.end();
    if (!isClean) {
      return notClosed(salvage.found());
    }
    return salvage.isComplete() ? status : ExitCode.SOFTWARE;
  }

  private int notClosed(long found) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf(
        Locale.ROOT,
        "%s: %s was not closed; found %,d entries, without the last writes%n",
        spec.qualifiedName(),
        entries.reader().path(),
        found);
    return ExitCode.SOFTWARE;
  }

  private int dump(TextIndex index) {
    EntryWriter writer = entries.writer(spec.commandLine().getOut());
    index.scan(TextIndex.Range.ALL, writer);
    return writer.end();
  }
}
