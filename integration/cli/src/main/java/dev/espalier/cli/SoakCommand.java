// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.soak.DifferentialRun;
import dev.espalier.cli.soak.Soak;
import dev.espalier.cli.soak.SoakFailure;
import dev.espalier.cli.soak.SoakShape;
import dev.espalier.io.FileOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
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
      "Exit status: 0 if nothing is wrong; 1 if anything is; 2 wrong arguments."
    })
final class SoakCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "The folder for stores, which are deleted in the end.")
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
      names = "--threads",
      paramLabel = "N",
      description =
          "How many threads work, each on indexes and stores of its own. Default: as many as there"
              + " are processors.")
  private int threads = Runtime.getRuntime().availableProcessors();

  private final SoakCounts counts = new SoakCounts();

  @Override
  public Integer call() {
    if (minutes < 1) {
      throw new ParameterException(
          spec.commandLine(), "--minutes is " + minutes + "; it must be positive");
    }
    if (entries < 1) {
      throw new ParameterException(
          spec.commandLine(), "--entries is " + entries + "; it must be positive");
    }
    if (threads < 1) {
      throw new ParameterException(
          spec.commandLine(), "--threads is " + threads + "; it must be positive");
    }
    SoakShape only = shape == null ? null : shapeNamed(shape);
    CrashKind crashes = crashImages == null ? null : kindNamed(crashImages);
    CrashKind damages = damagedImages == null ? null : kindNamed(damagedImages);
    if (!Files.isDirectory(folder)) {
      throw new CommandFailure(folder + ": no such folder");
    }
    long chosen = seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed;
    Path own = ownFolder();
    try (ProgressBar progress = ProgressBar.open()) {
      run(only, crashes, damages, chosen, own, progress);
      Files.delete(own);
      Interruption.keep(List.of(own));
      PrintWriter out = spec.commandLine().getOut();
      out.printf("%s (seed %d): nothing is wrong%n", counts, chosen);
      out.flush();
      return ExitCode.OK;
    } catch (SoakFailure wrong) {
      Interruption.keep(List.of(own));
      print(wrong);
      for (Throwable another : wrong.getSuppressed()) {
        print(another);
      }
      return ExitCode.SOFTWARE;
    } catch (IOException e) {
      throw new CommandFailure("can't work in " + folder + ": " + e, e);
    }
  }

  private void print(Throwable wrong) {
    spec.commandLine().getErr().printf("%s: %s%n", spec.qualifiedName(), wrong.getMessage());
  }

  private void run(
      @Nullable SoakShape only,
      @Nullable CrashKind crashes,
      @Nullable CrashKind damages,
      long chosen,
      Path own,
      ProgressBar progress) {
    if (crashes != null) {
      new SoakWorker(own, counts).checkImages(crashes, chosen);
    } else if (damages != null) {
      new SoakWorker(own, counts).checkDamage(damages, chosen);
    } else if (only != null) {
      DifferentialRun one = new DifferentialRun(only, chosen, entries, own);
      counts.operations.add(
          one.run(
              done -> {
                progress.show("%,d operations, %s".formatted(done / 1000 * 1000, only), 0);
                return false;
              }));
      counts.keysInBatches.add(one.keysInBatches());
    } else {
      runAll(chosen, own, progress);
    }
  }

  /** Has all threads work until the time is over, or one of them has found something. */
  private void runAll(long chosen, Path own, ProgressBar progress) {
    long start = System.nanoTime();
    long whole = TimeUnit.MINUTES.toNanos(minutes);
    AtomicBoolean isWrong = new AtomicBoolean();
    BooleanSupplier isEnough = () -> isWrong.get() || System.nanoTime() - start >= whole;
    Soak.Progress shown =
        (_, now) -> {
          long passed = System.nanoTime() - start;
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
    List<Future<?>> workers = new ArrayList<>();
    try (ExecutorService threadsOfAll = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < threads; i++) {
        long seedOfOne = seeds.nextLong();
        workers.add(
            threadsOfAll.submit(
                () -> {
                  boolean isRight = false;
                  try {
                    new SoakWorker(own, counts).run(seedOfOne, isEnough, shown);
                    isRight = true;
                  } finally {
                    if (!isRight) {
                      isWrong.set(true);
                    }
                  }
                }));
      }
    }
    throwFirst(workers);
  }

  /** Throws what the first of those threads threw that threw anything, with all others. */
  private static void throwFirst(List<Future<?>> workers) {
    Throwable first = null;
    for (Future<?> worker : workers) {
      if (worker.state() == Future.State.FAILED) {
        if (first == null) {
          first = worker.exceptionNow();
        } else {
          first.addSuppressed(worker.exceptionNow());
        }
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException exception) {
      throw exception;
    }
  }

  private CrashKind kindNamed(String name) {
    return CrashKind.isOfByteStrings(name)
        ? CrashKind.BYTE_STRINGS
        : new CrashKind(
            VariantName.onPages(spec, name, FileOptions.DEFAULT).variant().orElseThrow());
  }

  private SoakShape shapeNamed(String name) {
    try {
      return SoakShape.named(name);
    } catch (IllegalArgumentException unknown) {
      throw new ParameterException(spec.commandLine(), "--shape: " + unknown.getMessage(), unknown);
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
