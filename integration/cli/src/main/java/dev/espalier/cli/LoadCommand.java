// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PioTuning;
import dev.espalier.model.PioWork;
import dev.espalier.pio.PioBTree;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CancellationException;
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
      "Creates an index file from lines of the form key,value, or adds such lines to one. With"
          + " --index, adds an index of that name to a file that is there.",
      "",
      "Lines may come in any order. Keys and values are decimal numbers from -2^63 to 2^63-1. Blank"
          + " lines are skipped, and so is a header. If several lines have the same key, the last"
          + " one wins. More lines than fit into memory are sorted in a temporary file beside FILE,"
          + " which takes 16 bytes for each.",
      "",
      "With --keys text or hex, keys and values are byte strings, and the tree is a"
          + " PrefixBPlusTree. Lines are CSV in UTF-8: a field with a comma, a quote or a line"
          + " break is in quotes, and a quote in it is doubled.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "A new file appears under its name once it is complete. If loading fails or is interrupted,"
          + " nothing is left behind. If --append is interrupted, it closes FILE and says how"
          + " much was added. An index that is added to a file is there as a whole, or not at all"
          + " unless the process is killed.",
      "",
      "Exit status: 0 success; 1 failure, for example a line that is not key,value; 2 wrong"
          + " arguments."
    })
final class LoadCommand implements Runnable {
  /** Trees take no less: a node that is not half full would be merged with its neighbour. */
  private static final double MIN_FILL = 0.5;

  private static final double NANOS_PER_SECOND = 1e9;

  /** The memory that a tree is tuned for if nobody says how much, as by {@link TuneCommand}. */
  private static final long TUNED_MEMORY_BYTES = 64L << 20;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Mixin private final IndexNameArgument name = new IndexNameArgument();

  @Mixin private final FormArguments form = new FormArguments();

  @Option(
      names = "--header",
      description =
          "Skip the first line, which names the columns. Of numbers, such a line is skipped without"
              + " this.")
  private boolean hasHeader;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "INPUT",
      description = "The file to read lines from, or - for standard input.")
  private @Nullable String input;

  @Option(
      names = "--tpch",
      paramLabel = "SF",
      description =
          "Load TPC-H's table orders at this scale factor instead of INPUT: order keys with row"
              + " numbers from 0. Scale 1 has 1.5 million rows.")
  private @Nullable Double scale;

  @Option(
      names = "--variant",
      paramLabel = "NAME",
      description =
          "The kind of tree: any whose medium is pages in 'espalier variants'. Default:"
              + " FpbLinkTree.")
  private @Nullable String variant;

  @Option(
      names = "--updates",
      paramLabel = "R",
      description =
          "Load a PioBTree whose pages, leaves and queue suit the device of FILE and work in which"
              + " this part of single-key operations are updates, from 0 to 1; 'espalier tune'"
              + " shows the choice. Measures the device if that has not been done. The tree is for"
              + " the memory of --pool, or 64M.")
  private @Nullable Double updates;

  @Option(
      names = "--page-size",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description =
          "Page size, a power of two. The units K, M and G are 1024, 1024² and 1024³ bytes."
              + " Default: 16K.")
  private @Nullable Long pageBytes;

  @Option(
      names = "--fill",
      paramLabel = "F",
      description =
          "How full pages become, from 0.5 to 1. Less than 1 leaves room for inserts. Default: 1.")
  private @Nullable Double fill;

  @Option(names = "--append", description = "Add the lines to the index in FILE, which must exist.")
  private boolean append;

  @Override
  public void run() {
    FileOptions options = checkArguments();
    PrintWriter out = spec.commandLine().getOut();
    long start = System.nanoTime();
    boolean hasStrings = hasByteStrings();
    try (ProgressBar progress = ProgressBar.open();
        LoadInput<?> source = hasStrings ? readStrings(progress) : readLongs(progress)) {
      source.header().ifPresent(header -> out.printf("Skipped the header '%s'.%n", header));
      load(updates == null ? options : tuned(options, updates, source), source, progress, out);
    }
    print(
        IndexFiles.describe(file.path(), file.options(), name.name()),
        (System.nanoTime() - start) / NANOS_PER_SECOND,
        out);
  }

  /** Returns the memory that a tree is tuned for. */
  private static long memoryBytes(FileOptions options) {
    return options.poolBytes() == FileOptions.SHARED_POOL
        ? TUNED_MEMORY_BYTES
        : options.poolBytes();
  }

  /** Chooses the proportions of the tree for what it will have. */
  private FileOptions tuned(FileOptions options, double part, LoadInput<?> source) {
    PioWork work = new PioWork(Math.max(source.rows(), 1), part, memoryBytes(options));
    return PioTuning.options(file.path(), options, work);
  }

  private <I> void load(
      FileOptions options, LoadInput<I> source, ProgressBar progress, PrintWriter out) {
    if (append) {
      append(options.withFlags(FileOption.MUST_EXIST), source, progress, out);
    } else if (isIntoFile()) {
      add(options.withFlags(FileOption.MUST_EXIST), source, progress);
      printDropped(source, out);
    } else {
      IndexFiles.make(
          file.path(),
          options,
          name.name().orElse(Espalier.NAME),
          source,
          fill(),
          progress.listener("writing " + file.path()));
      printDropped(source, out);
    }
  }

  private FileOptions checkArguments() {
    if (input == null && scale == null) {
      throw wrongArgument("INPUT or --tpch is needed");
    }
    if (input != null && scale != null) {
      throw wrongArgument("give INPUT or --tpch, not both");
    }
    if (scale != null) {
      TpchScale.check(spec, "--tpch", scale);
    }
    if (fill != null && append) {
      throw wrongArgument("give --fill or --append, not both: only a new file can be filled");
    }
    if (fill != null && !(fill >= MIN_FILL && fill <= 1)) {
      throw wrongArgument("--fill is " + fill + "; it must be from " + MIN_FILL + " to 1");
    }
    form.check(spec);
    FileOptions options = checkTree();
    checkUpdates(options);
    if (append) {
      form.check(IndexFiles.describe(file.path(), options, name.name()));
    } else if (isIntoFile()) {
      checkNewIndex(options);
    } else {
      checkNew(options);
    }
    return options;
  }

  private void checkUpdates(FileOptions options) {
    if (updates == null) {
      return;
    }
    if (append) {
      throw wrongArgument("give --updates or --append, not both: only a new tree is tuned");
    }
    if (variant != null && !variant.equalsIgnoreCase(PioBTree.VARIANT.name())) {
      throw wrongArgument("--updates is for a PioBTree, not for --variant " + variant);
    }
    if (!(updates >= 0 && updates <= 1)) {
      throw wrongArgument("--updates is " + updates + "; it must be from 0 to 1");
    }
    if (memoryBytes(options) < PioWork.LEAST_MEMORY_BYTES) {
      throw wrongArgument(
          "--pool is %d; with --updates it must be at least %d"
              .formatted(options.poolBytes(), PioWork.LEAST_MEMORY_BYTES));
    }
  }

  /** Whether keys and values are byte strings, as the arguments or the index in the file say. */
  private boolean hasByteStrings() {
    boolean hasStrings =
        append
            ? IndexFiles.describe(file.path(), file.options(), name.name()).hasByteStrings()
            : form.hasByteStrings();
    if (hasStrings && scale != null) {
      throw wrongArgument("--tpch has keys that are longs");
    }
    if (hasStrings && updates != null) {
      throw wrongArgument("--updates is for longs: byte strings live in a PrefixBPlusTree");
    }
    if (hasStrings && variant != null) {
      throw wrongArgument("--variant is for longs: byte strings live in a PrefixBPlusTree");
    }
    if (hasHeader && !hasStrings) {
      throw wrongArgument("--header is for byte strings: of numbers, a header is skipped anyway");
    }
    return hasStrings;
  }

  /** Whether a new index goes into a file that is there. */
  private boolean isIntoFile() {
    return name.name().isPresent() && Files.isRegularFile(file.path());
  }

  private double fill() {
    return fill == null ? 1 : fill;
  }

  private void checkNewIndex(FileOptions options) {
    String wanted = name.name().orElseThrow();
    boolean isThere =
        IndexFiles.describeStore(file.path(), options).indexes().stream()
            .anyMatch(index -> index.name().equals(wanted));
    if (isThere) {
      throw new CommandFailure(
          "%s: has an index '%s' already; --append adds to it".formatted(file.path(), wanted));
    }
  }

  private void checkNew(FileOptions options) {
    if (Files.isRegularFile(file.path())) {
      throw new CommandFailure(file.path() + ": the file exists already; --append adds to it");
    }
    IndexFiles.checkNew(file.path(), options);
  }

  private FileOptions checkTree() {
    FileOptions options = file.options();
    if (variant != null) {
      options = VariantName.onPages(spec, variant, options);
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

  private LongInput readLongs(ProgressBar progress) {
    if (input == null) {
      return LongInput.ofTable(TpchTables.orderKeys(Objects.requireNonNull(scale), progress));
    }
    return LongInput.ofLines(input, folder(), progress);
  }

  private BytesInput readStrings(ProgressBar progress) {
    String lines = Objects.requireNonNull(input);
    return BytesInput.ofLines(lines, form.ofBytes(), hasHeader, folder(), progress);
  }

  private Path folder() {
    return Objects.requireNonNull(file.path().toAbsolutePath().getParent());
  }

  /** Adds an index. If the process is told to end, it waits until the index is gone again. */
  private <I> void add(FileOptions options, LoadInput<I> source, ProgressBar progress) {
    ProgressListener shown = progress.listener("writing " + file.path());
    Interruption.uninterrupted(
        () -> {
          try {
            IndexFiles.add(
                file.path(),
                options,
                name.name().orElseThrow(),
                source,
                fill(),
                (done, total) -> shown.onProgress(done, total) && !Interruption.isRequested());
          } catch (CancellationException cancelled) {
            printUnchanged();
          }
          return source.rows();
        });
    Interruption.awaitEndIfRequested();
  }

  private void printUnchanged() {
    PrintWriter err = spec.commandLine().getErr();
    err.printf(
        Locale.ROOT,
        "%s: interrupted; %s is closed and as before%n",
        spec.qualifiedName(),
        file.path());
  }

  /** Adds all entries. If the process is told to end, it waits until the file is closed. */
  private <I> void append(
      FileOptions options, LoadInput<I> source, ProgressBar progress, PrintWriter out) {
    Interruption.uninterrupted(
        () -> {
          LoadInput.Added added;
          try (OpenIndex<I> open =
              IndexFiles.open(file.path(), options, name.name(), source::open)) {
            added = source.putAll(open.index(), progress.listener("adding to " + file.path()));
          }
          if (Interruption.isRequested()) {
            printInterruption(added.put(), source.rows());
          } else {
            printDropped(source, out);
            printAdded(added.isNew(), added.put(), out);
          }
          return added.put();
        });
    Interruption.awaitEndIfRequested();
  }

  private void printInterruption(long done, long rows) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf(
        Locale.ROOT,
        "%s: interrupted; %s is closed and has the first %,d entries, in key order, of %,d rows%n",
        spec.qualifiedName(),
        file.path(),
        done,
        rows);
  }

  private static void printAdded(long added, long done, PrintWriter out) {
    out.printf(
        Locale.ROOT, "Added %,d entries, and replaced the values of %,d.%n", added, done - added);
  }

  private static void printDropped(LoadInput<?> input, PrintWriter out) {
    if (input.dropped() > 0) {
      out.printf(
          Locale.ROOT,
          "Left out %,d lines, because a later line has the same key.%n",
          input.dropped());
    }
  }

  private void print(IndexSummary loaded, double seconds, PrintWriter out) {
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
