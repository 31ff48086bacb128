// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.family.Family;
import dev.espalier.io.FileDescription;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Fills an index file. */
@Command(
    name = "load",
    description = {
      "Makes an index file from lines key,value in any order, or adds such lines to one.",
      "",
      "Keys and values are decimal numbers from -2^63 to 2^63-1. Blank lines are skipped, and so is"
          + " a first line with the names of the columns. Where lines have the same key, the last"
          + " one counts. All lines are sorted in memory first, which takes up to 32 bytes of heap"
          + " for each: set -Xmx in ESPALIER_JAVA_OPTS for more than half of the machine's memory.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "If loading fails, a file that was to be made is not left behind; one that was added to keeps"
          + " what was added so far.",
      "",
      "Exit status: 0 for success; 1 for failure, which also a wrong line is; 2 for wrong"
          + " arguments."
    })
final class LoadCommand implements Runnable {
  /** Entries put at once: several of the groups in which a tree looks for their leaves. */
  private static final int BATCH = 4096;

  /** Trees take no less: a node that is not half full would be merged with its neighbour. */
  private static final double MIN_FILL = 0.5;

  private static final double NANOS_PER_SECOND = 1e9;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "INPUT",
      description = "The file with the lines, or - for standard input.")
  private @Nullable String input;

  @Option(
      names = "--tpch",
      paramLabel = "SF",
      description =
          "Instead of INPUT take TPC-H's table orders at this scale factor, of which 1 is 1.5"
              + " million rows: order keys as keys, row numbers from 0 as values.")
  private @Nullable Double scale;

  @Option(
      names = "--variant",
      paramLabel = "NAME",
      description =
          "The tree, one that lives in pages; 'espalier variants' lists them. Default:"
              + " DiskFirstFpbPlusTree.")
  private @Nullable String variant;

  @Option(
      names = "--page-size",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Bytes of a page, a power of two; K, M and G are units. Default: 16K.")
  private @Nullable Long pageBytes;

  @Option(
      names = "--fill",
      paramLabel = "F",
      description =
          "How full to make the pages, from 0.5 to 1; below 1 leaves room for inserts. Default: 1.")
  private @Nullable Double fill;

  @Option(
      names = "--append",
      description = "Put the lines into the index that is in FILE, which must be there.")
  private boolean append;

  @Override
  public void run() {
    FileOptions options = checkArguments();
    PrintWriter out = spec.commandLine().getOut();
    long start = System.nanoTime();
    try (ProgressBar progress = ProgressBar.open()) {
      if (append) {
        try (LongIndex index =
            IndexFiles.open(file.path(), options.withFlags(FileOption.MUST_EXIST))) {
          append(index, read(progress), progress, out);
        }
      } else {
        Entries entries = read(progress);
        IndexFiles.make(
            file.path(),
            options,
            entries.source,
            fill == null ? 1 : fill,
            entries.count,
            progress.listener("writing " + file.path()));
        printRepeats(entries, out);
      }
    }
    print(
        IndexFiles.describe(file.path(), file.options()),
        (System.nanoTime() - start) / NANOS_PER_SECOND,
        out);
  }

  private FileOptions checkArguments() {
    if ((input == null) == (scale == null)) {
      throw wrongArgument("one of INPUT and --tpch is needed");
    }
    if (scale != null) {
      TpchScale.check(spec, "--tpch", scale);
    }
    if (fill != null && !(fill >= MIN_FILL && fill <= 1)) {
      throw wrongArgument("--fill is " + fill + "; it must be from " + MIN_FILL + " to 1");
    }
    if (fill != null && append) {
      throw wrongArgument("--fill is for a new file, not for --append");
    }
    if (!append && Files.exists(file.path())) {
      throw new CommandFailure(file.path() + ": the file exists already; --append adds to it");
    }
    return checkTree();
  }

  private FileOptions checkTree() {
    FileOptions options = file.options();
    if (variant != null) {
      try {
        options = options.withVariant(Family.named(variant));
      } catch (IllegalArgumentException e) {
        throw wrongArgument("--variant: " + e.getMessage());
      }
    }
    if (pageBytes != null) {
      try {
        options = options.withPageBytes((int) Math.min(pageBytes, Integer.MAX_VALUE));
      } catch (IllegalArgumentException e) {
        throw wrongArgument("--page-size: " + e.getMessage());
      }
    }
    return options;
  }

  /**
   * What is to be loaded.
   *
   * @param source of the entries, ascending
   * @param count of them
   * @param repeats lines that are not among them, because a later one has the same key
   */
  private record Entries(LongEntrySource source, long count, long repeats) {}

  private Entries read(ProgressBar progress) {
    if (input != null) {
      SortedEntries sorted = EntryLines.read(input, progress);
      return new Entries(sorted, sorted.size(), sorted.repeats());
    }
    long[] keys = TpchTables.orderKeys(Objects.requireNonNull(scale), progress);
    return new Entries(new RowNumbers(keys), keys.length, 0);
  }

  private void append(LongIndex index, Entries entries, ProgressBar progress, PrintWriter out) {
    long before = index.size();
    long[] keys = new long[BATCH];
    long[] values = new long[BATCH];
    long done = 0;
    ProgressListener listener = progress.listener("adding to " + file.path());
    while (done < entries.count) {
      int count = 0;
      while (count < BATCH && entries.source.next()) {
        keys[count] = entries.source.key();
        values[count] = entries.source.value();
        count++;
      }
      index.putAll(keys, 0, values, 0, count);
      done += count;
      listener.onProgress(done, entries.count);
    }
    index.flush();
    long added = index.size() - before;
    printRepeats(entries, out);
    out.printf(
        Locale.ROOT,
        "%,d entries are new, %,d were there and have the value given.%n",
        added,
        entries.count - added);
  }

  private static void printRepeats(Entries entries, PrintWriter out) {
    if (entries.repeats > 0) {
      out.printf(
          Locale.ROOT,
          "Left out %,d lines, because a later line has the same key.%n",
          entries.repeats);
    }
  }

  private void print(FileDescription loaded, double seconds, PrintWriter out) {
    long bytes = IndexFiles.bytes(file.path(), file.options());
    out.printf(
        Locale.ROOT,
        "%s: %s, %,d entries, %,d pages of %,d bytes, %,d bytes in all, %.3f s.%n",
        file.path(),
        loaded.kind(),
        loaded.entries(),
        loaded.pages(),
        loaded.pageBytes(),
        bytes,
        seconds);
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
