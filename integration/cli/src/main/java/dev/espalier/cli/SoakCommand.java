// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.soak.SoakShape;
import dev.espalier.io.FileOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares indexes with what is plainly right, for as long as one likes. */
@Command(
    name = "soak",
    description = {
      "Compares all trees with plain maps, and stores after crashes with what was written.",
      "",
      "Indexes of every tree, in memory and in files, with the smallest and the widest nodes, grow"
          + " to hundreds of thousands of entries, shrink to ten and grow again, through every"
          + " operation there is. Each answer is compared with that of a map. Stores are closed and"
          + " opened in between, and copied while they are open.",
      "",
      "Between these runs, everything that a store writes and forces is recorded, and images are"
          + " made of what a crash at any moment may leave: all that was forced, and of the rest"
          + " any part, torn at sectors. Some of the programs are killed on the way, and others go"
          + " on with what they left. Each image must recover to what there was after some step,"
          + " and not before the last that was acknowledged.",
      "",
      "Copies of stores, closed or as a crash leaves them, are damaged as well: bits, sectors,"
          + " pages, the length. Each is salvaged, opened, verified and written, and answers"
          + " rightly or says what is wrong.",
      "",
      "Pages of stores are changed before they are written, so that their checksums fit. Whatever"
          + " they say then, every call ends, with an answer or with an error that is documented.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "The first failure ends it, when each thread has come to an end of what it does. What is"
          + " printed then has the seed and the command that repeats it; the files of the store are"
          + " kept.",
      "",
      "If it is told to end before its time, by Ctrl-C or SIGTERM, it prints what was done so far"
          + " and what is wrong, if anything is, and deletes its files if nothing is.",
      "",
      "Exit status: 0 if nothing is wrong; 1 if anything is; 2 wrong arguments; 128 and the number"
          + " of the signal if it was told to end, which makes 130 for Ctrl-C and 143 for SIGTERM."
    })
final class SoakCommand implements Callable<Integer> {
  /** Rarely enough for a log of a night, often enough to see that it goes on. */
  private static final int MINUTES_BETWEEN_LINES = 10;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description =
          "The folder for stores, which are deleted in the end. In one that is in memory, such as"
              + " /dev/shm, nothing waits for a disk, and it does about twice as much.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private Path folder;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long it goes on. Default: 10.")
  private int minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "A number that all else follows from. Default: another one each time.")
  private @Nullable Long seed;

  @Option(
      names = "--shape",
      paramLabel = "NAME",
      description =
          "One run only, of this tree with its proportions, such as 'BPlusTree 1' or 'Cola file'."
              + " With --seed, it repeats a failure.")
  private @Nullable String shape;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "100000",
      description = "With --shape: how many entries the index grows to. Default: 100000.")
  private int entries;

  @Option(
      names = "--crash-images",
      paramLabel = "NAME",
      description =
          "Crashes of one run only, of a store with this tree, or PrefixBPlusTree for byte strings."
              + " With --seed, it repeats a failure, but for what threads in the background do.")
  private @Nullable String crashImages;

  @Option(
      names = "--damaged-images",
      paramLabel = "NAME",
      description =
          "Damage to copies of one store only, with this tree, as above. With --seed, it repeats a"
              + " failure, but for what threads in the background do.")
  private @Nullable String damagedImages;

  @Option(
      names = "--lying-pages",
      paramLabel = "NAME",
      description =
          "Stores of one tree only whose pages lie, with its proportions, such as 'PioBTree 256 1 1"
              + " file'. With --seed, it repeats a failure.")
  private @Nullable String lyingPages;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "How many threads work, each on indexes and stores of its own. Default: as many as there"
              + " are processors.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--report-every",
      paramLabel = "N",
      description =
          "Print what was done so far every N minutes; 0: never. Default: 10 where there is no"
              + " terminal to show a progress bar, 0 where there is one.")
  private @Nullable Integer reportEvery;

  private final SoakCounts counts = new SoakCounts();

  @Override
  public Integer call() {
    checkAtLeast(1, "--minutes", minutes, "positive");
    checkAtLeast(1, "--entries", entries, "positive");
    checkAtLeast(1, "--threads", threads, "positive");
    if (reportEvery != null) {
      checkAtLeast(0, "--report-every", reportEvery, "0 or positive");
    }
    OnePart only = onePart();
    if (!Files.isDirectory(folder)) {
      throw new CommandFailure(folder + ": no such folder");
    }
    long chosen = seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed;
    SoakReport report =
        Interruption.uninterrupted(() -> SoakReport.begin(spec, counts, chosen, ownFolder()));
    try (ProgressBar progress = ProgressBar.open()) {
      if (only == null) {
        runAll(chosen, report, progress);
      } else {
        run(only, chosen, report, progress);
      }
    }
    return Interruption.uninterrupted(() -> end(report));
  }

  private void checkAtLeast(int least, String option, int value, String whatItMustBe) {
    if (value < least) {
      throw new ParameterException(
          spec.commandLine(), "%s is %d; it must be %s".formatted(option, value, whatItMustBe));
    }
  }

  /** Something that is done once, with a seed. */
  private interface OnePart {
    void run(SoakWorker worker, long seed);
  }

  /** Returns what alone is to be done; null if everything is. */
  private @Nullable OnePart onePart() {
    if (crashImages != null) {
      CrashKind kind = kindNamed(crashImages);
      return (worker, chosen) -> worker.checkImages(kind, chosen);
    }
    if (damagedImages != null) {
      CrashKind kind = kindNamed(damagedImages);
      return (worker, chosen) -> worker.checkDamage(kind, chosen);
    }
    if (lyingPages != null) {
      SoakShape named = shapeNamed("--lying-pages", lyingPages, LyingStores::named);
      return (worker, chosen) -> worker.checkLies(named, chosen);
    }
    if (shape != null) {
      SoakShape named = shapeNamed("--shape", shape, SoakShape::named);
      return (worker, chosen) -> worker.compare(named, chosen, entries);
    }
    return null;
  }

  private int end(SoakReport report) {
    if (!report.hasFailures()) {
      delete(report.folder());
    }
    boolean isWrong = report.printEnd();
    return switch (report.obstacle()) {
      case null -> isWrong ? ExitCode.SOFTWARE : ExitCode.OK;
      case Error error -> throw error;
      case RuntimeException exception -> throw exception;
      case Throwable other -> throw new IllegalStateException(other);
    };
  }

  private void delete(Path own) {
    try {
      Files.delete(own);
    } catch (IOException e) {
      throw new CommandFailure("can't work in " + folder + ": " + e, e);
    }
    Interruption.keep(List.of(own));
  }

  private void run(OnePart only, long chosen, SoakReport report, ProgressBar progress) {
    SoakWorker worker =
        new SoakWorker(
            report.folder(),
            counts,
            now ->
                progress.show(
                    "%,d operations, %s".formatted(counts.operations.sum() / 1000 * 1000, now), 0));
    watch(() -> only.run(worker, chosen), report);
  }

  /** Has all threads work until the time is over, or one of them has found something. */
  private void runAll(long chosen, SoakReport report, ProgressBar progress) {
    Interval interval =
        new Interval(TimeUnit.MINUTES.toNanos(minutesBetweenLines()), System::nanoTime);
    long whole = TimeUnit.MINUTES.toNanos(minutes);
    BooleanSupplier isEnough = () -> report.hasFailures() || interval.passed() >= whole;
    Consumer<String> shown =
        now -> {
          long passed = interval.passed();
          if (interval.isOver()) {
            report.printProgress(passed);
          }
          progress.show(
              "%,d operations, %,d images, %d minutes left, %s"
                  .formatted(
                      counts.operations.sum() / 1000 * 1000,
                      counts.images.sum(),
                      TimeUnit.NANOSECONDS.toMinutes(Math.max(0, whole - passed)),
                      now),
              Math.min(1, (double) passed / whole));
        };
    SplittableRandom seeds = new SplittableRandom(chosen);
    try (ExecutorService threadsOfAll = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < threads; i++) {
        SoakWorker worker = new SoakWorker(report.folder(), counts, shown);
        long seedOfOne = seeds.nextLong();
        threadsOfAll.execute(() -> watch(() -> worker.run(seedOfOne, isEnough), report));
      }
    }
  }

  private int minutesBetweenLines() {
    return Objects.requireNonNullElse(
        reportEvery, ProgressBar.hasTerminal() ? 0 : MINUTES_BETWEEN_LINES);
  }

  /** Works, and reports whatever is thrown. */
  private static void watch(Runnable work, SoakReport report) {
    try {
      work.run();
    } catch (RuntimeException | Error failure) {
      report.add(failure);
    }
  }

  private CrashKind kindNamed(String name) {
    return CrashKind.isOfByteStrings(name)
        ? CrashKind.BYTE_STRINGS
        : new CrashKind(
            VariantName.onPages(spec, name, FileOptions.DEFAULT).variant().orElseThrow());
  }

  private SoakShape shapeNamed(String option, String name, Function<String, SoakShape> shapes) {
    try {
      return shapes.apply(name);
    } catch (IllegalArgumentException unknown) {
      throw new ParameterException(
          spec.commandLine(), option + ": " + unknown.getMessage(), unknown);
    }
  }

  private Path ownFolder() {
    return Interruption.uninterrupted(
        () -> {
          try {
            Path made = Files.createTempDirectory(folder, "soak-");
            Interruption.deleteAtEnd(List.of(made));
            return made;
          } catch (IOException e) {
            throw new CommandFailure("can't write to " + folder + ": " + e, e);
          }
        });
  }
}
