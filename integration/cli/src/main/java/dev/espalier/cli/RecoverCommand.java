// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.FileOption;
import dev.espalier.io.IndexStore;
import dev.espalier.io.RecoveryReport;
import dev.espalier.io.StoreOptions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Recovers a store that was not closed. */
@Command(
    name = "recover",
    description = {
      "Recovers a file that was not closed, for example after a crash or a power failure.",
      "",
      "Replays the log beside the file and closes the file. Opening a file for writing does the"
          + " same, and opening it for reading does without changing it.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {"", "Exit status: 0 success; 1 if the file can't be recovered; 2 wrong arguments."})
final class RecoverCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Option(
      names = "--dry-run",
      description = "Only tell what would be recovered. No file is changed.")
  private boolean isDryRun;

  @Option(
      names = "--lose-damaged-log",
      description =
          "Go on without what follows damage in the log, instead of refusing a file whose log is"
              + " damaged. What was committed behind the damage is lost.")
  private boolean losesDamagedLog;

  @Override
  public void run() {
    IndexFiles.checkStore(file.path());
    PrintWriter out = spec.commandLine().getOut();
    StoreOptions options =
        StoreOptions.DEFAULT.withFiles(
            file.options().withFlags(flags().toArray(new FileOption[0])));
    try (IndexStore store = IndexStore.open(file.path(), options)) {
      RecoveryReport report = store.recovery();
      if (report.wasClean()) {
        out.printf("%s: the file was closed; there is nothing to recover%n", file.path());
      } else {
        out.printf(
            Locale.ROOT,
            "%s: %s %,d writes in %,d records, %,d bytes, after checkpoint %,d%n",
            file.path(),
            isDryRun ? "would recover" : "recovered",
            report.writes(),
            report.records(),
            report.logBytes(),
            report.checkpoint());
        if (isDryRun || losesDamagedLog) {
          out.printf("%s: the log ends because %s%n", file.path(), report.end());
        }
      }
      out.flush();
    }
  }

  private List<FileOption> flags() {
    List<FileOption> flags = new ArrayList<>();
    flags.add(isDryRun ? FileOption.READ_ONLY : FileOption.MUST_EXIST);
    if (losesDamagedLog) {
      flags.add(FileOption.LOSE_DAMAGED_LOG);
    }
    return flags;
  }
}
