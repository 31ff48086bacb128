// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.FileOption;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies a store. */
@Command(
    name = "backup",
    description = {
      "Copies a file with all its indexes, and checks every page on its way.",
      "",
      "The copy is one file, even if FILE is spread over stripes. A file that was not closed is"
          + " recovered first.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "If it fails or is interrupted, there is no TARGET.",
      "",
      "Exit status: 0 success; 1 if the file can't be read or a page is damaged, or the copy can't"
          + " be written; 2 wrong arguments."
    })
final class BackupCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Parameters(index = "1", paramLabel = "TARGET", description = "The copy, which must not exist.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private Path target;

  @Override
  public void run() {
    IndexFiles.checkStore(file.path());
    IndexFiles.checkNew(target, file.options().withStripes());
    StoreOptions options =
        StoreOptions.DEFAULT.withFiles(file.options().withFlags(FileOption.MUST_EXIST));
    long bytes =
        Interruption.uninterrupted(
            () -> {
              copy(options);
              return Interruption.isRequested() ? 0 : size();
            });
    Interruption.awaitEndIfRequested();
    spec.commandLine()
        .getOut()
        .printf(Locale.ROOT, "%s: copied to %s, %,d bytes%n", file.path(), target, bytes);
  }

  /** Copies; if the process is told to end, it waits until the copy is gone and FILE is closed. */
  private void copy(StoreOptions options) {
    try (ProgressBar progress = ProgressBar.open();
        IndexStore store = IndexStore.open(file.path(), options)) {
      store.backup(
          target,
          (done, total) -> {
            progress.show("copying " + file.path(), total > 0 ? (double) done / total : 0);
            return !Interruption.isRequested();
          });
    } catch (CancellationException interrupted) {
      if (!Interruption.isRequested()) {
        throw interrupted;
      }
    }
  }

  private long size() {
    try {
      return Files.size(target);
    } catch (IOException e) {
      throw new CommandFailure("can't read the size of " + target + ": " + e, e);
    }
  }
}
