// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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

  @Mixin private final EntryArguments entries = new EntryArguments();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FROM",
      description = "The smallest key, written as --keys says. Default: that of the first entry.")
  private @Nullable String from;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "TO",
      description = "The largest key, which is part of the range. Default: that of the last entry.")
  private @Nullable String to;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "Print the entries whose keys, byte strings, begin so, instead of a range.")
  private @Nullable String prefix;

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
    if (limit < 0) {
      throw wrongArgument("--limit is " + limit + "; it must not be negative");
    }
    if (prefix != null && from != null) {
      throw wrongArgument("give --prefix or FROM, not both");
    }
    return entries.read(spec, this::scan);
  }

  private int scan(TextIndex index) {
    EntryWriter writer = entries.writer(spec.commandLine().getOut());
    index.scan(new TextIndex.Range(from, to, prefix, limit, descending), writer);
    return writer.end();
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
