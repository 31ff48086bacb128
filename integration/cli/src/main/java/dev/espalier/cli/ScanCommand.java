// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a range of an index file. */
@Command(
    name = "scan",
    description = {
      "Prints the entries of an index file with keys in a range, as lines key,value in ascending"
          + " order.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Exit status: 0 success, even if the range is empty; 1 if the file can't be read or the"
          + " output can't be written; 2 wrong arguments."
    })
final class ScanCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final ReaderArguments reader = new ReaderArguments();

  @Parameters(
      index = "1",
      paramLabel = "FROM",
      description = "The smallest key, a decimal number from -2^63 to 2^63-1.")
  private long from;

  @Parameters(
      index = "2",
      paramLabel = "TO",
      description = "The largest key, which is part of the range.")
  private long to;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "" + Long.MAX_VALUE,
      description = "The most entries to print. Default: all.")
  private long limit;

  @Option(names = "--descending", description = "Print the largest key first.")
  private boolean descending;

  @Override
  public Integer call() {
    if (from > to) {
      throw wrongArgument("FROM is " + from + ", which is larger than TO, " + to);
    }
    if (limit < 0) {
      throw wrongArgument("--limit is " + limit + "; it must not be negative");
    }
    return reader.read(this::scan);
  }

  private int scan(LongIndex index) {
    EntryWriter entries = new EntryWriter(spec.commandLine().getOut());
    LongCursor cursor = index.cursor();
    boolean found;
    if (descending) {
      found = cursor.floor(to);
    } else {
      cursor.scanTo(to);
      found = cursor.ceiling(from);
    }
    long left = limit;
    while (found && left > 0 && cursor.key() >= from && cursor.key() <= to) {
      if (!entries.add(cursor.key(), cursor.value())) {
        break;
      }
      left--;
      found = left > 0 && (descending ? cursor.previous() : cursor.next());
    }
    return entries.end();
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
