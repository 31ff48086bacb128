// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.io.CorruptPageException;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFileException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Checks an index file. */
@Command(
    name = "verify",
    description = {
      "Checks an index file: the checksum and number of every page, then the tree's invariants.",
      "",
      "Lists all damaged pages; if there are any, the tree is not checked. Of a file that was not"
          + " closed, the pages of the last checkpoint are checked, and the tree with what is in"
          + " the log. Nothing is changed.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Exit status: 0 if the file is sound; 1 if anything is wrong; 2 wrong arguments."
    })
final class VerifyCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Mixin private final IndexNameArgument name = new IndexNameArgument();

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    IndexSummary description = IndexFiles.describe(file.path(), file.options(), name.name());
    if (!description.isClean()) {
      out.printf(
          "%s: the file was not closed; the tree is checked with what is in its log%n",
          file.path());
    }
    int faults;
    try (ProgressBar progress = ProgressBar.open()) {
      faults = checkPages(progress, out);
      if (faults == 0) {
        faults = checkTree(progress, out);
      } else {
        out.printf("%s: the tree was not checked, because pages are damaged%n", file.path());
      }
    }
    out.flush();
    if (faults > 0) {
      throw new CommandFailure(file.path() + ": not sound");
    }
    out.printf(
        Locale.ROOT,
        "%s: sound, %,d pages, %s%n",
        file.path(),
        description.pages(),
        description.entries() < 0
            ? "entries not counted"
            : String.format(Locale.ROOT, "%,d entries", description.entries()));
  }

  /** Names damaged pages and returns how many there are. */
  private int checkPages(ProgressBar progress, PrintWriter out) {
    List<CorruptPageException> damage =
        Espalier.findDamage(
            file.path(), file.options(), progress.listener("reading pages of " + file.path()));
    for (CorruptPageException page : damage) {
      out.println(page.getMessage());
    }
    return damage.size();
  }

  /** Tells the first thing that is wrong with the tree, and returns whether anything is: 1 or 0. */
  private int checkTree(ProgressBar progress, PrintWriter out) {
    FileOptions options = file.options().withFlags(FileOption.READ_ONLY);
    ProgressListener listener = progress.listener("checking the tree of " + file.path());
    try {
      return IndexFiles.read(
          file.path(),
          options,
          name.name(),
          longs -> {
            longs.verify(listener);
            return 0;
          },
          strings -> {
            strings.verify(listener);
            return 0;
          });
    } catch (CommandFailure e) {
      throw e;
    } catch (PageFileException damaged) {
      out.println(damaged.getMessage()); // It names the file, and most often a place in its log.
      return 1;
    } catch (RuntimeException wrong) {
      // Whatever a torn tree leads to: most often an invariant, or a page that is not in use.
      out.printf("%s: the tree is wrong: %s%n", file.path(), wrong.getMessage());
      return 1;
    }
  }
}
