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
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
          + " any part, torn at sectors. Each image must recover to what there was after some"
          + " step, and not before the last that was acknowledged.",
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
      "The first failure ends it. What is printed then has the seed and the command that repeats"
          + " it; the files of the store are kept.",
      "",
      "Exit status: 0 if nothing is wrong; 1 if anything is; 2 wrong arguments."
    })
final class SoakCommand implements Callable<Integer> {
  private static final int IMAGES_OF_A_RUN = 20;

  private static final int COPIES_OF_A_RUN = 10;

  /** Runs of which crashes and damage are looked at after each run of an index. */
  private static final int RUNS_OF_CRASHES = 5;

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

  private long keysInBatches;
  private long images;
  private long damaged;

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
    SoakShape only = shape == null ? null : shapeNamed(shape);
    CrashKind crashes = crashImages == null ? null : kindNamed(crashImages);
    CrashKind damages = damagedImages == null ? null : kindNamed(damagedImages);
    if (!Files.isDirectory(folder)) {
      throw new CommandFailure(folder + ": no such folder");
    }
    long chosen = seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed;
    Path own = ownFolder();
    try (ProgressBar progress = ProgressBar.open()) {
      long operations = run(only, crashes, damages, chosen, own, progress);
      Files.delete(own);
      Interruption.keep(List.of(own));
      PrintWriter out = spec.commandLine().getOut();
      out.printf(
          Locale.ROOT,
          "%,d operations, %,d of them keys of batches, %,d images of crashes, %,d damaged copies"
              + " (seed %d): nothing is wrong%n",
          operations,
          keysInBatches,
          images,
          damaged,
          chosen);
      out.flush();
      return ExitCode.OK;
    } catch (SoakFailure wrong) {
      Interruption.keep(List.of(own));
      spec.commandLine().getErr().printf("%s: %s%n", spec.qualifiedName(), wrong.getMessage());
      return ExitCode.SOFTWARE;
    } catch (IOException e) {
      throw new CommandFailure("can't work in " + folder + ": " + e, e);
    }
  }

  private long run(
      @Nullable SoakShape only,
      @Nullable CrashKind crashes,
      @Nullable CrashKind damages,
      long chosen,
      Path own,
      ProgressBar progress) {
    if (crashes != null) {
      checkImages(crashes, chosen, own);
      return 0;
    }
    if (damages != null) {
      checkDamage(damages, chosen, own);
      return 0;
    }
    if (only != null) {
      DifferentialRun one = new DifferentialRun(only, chosen, entries, own);
      long operations =
          one.run(
              done -> {
                progress.show("%,d operations, %s".formatted(done / 1000 * 1000, only), 0);
                return false;
              });
      keysInBatches = one.keysInBatches();
      return operations;
    }
    long start = System.nanoTime();
    Duration whole = Duration.ofMinutes(minutes);
    BooleanSupplier isEnough = () -> System.nanoTime() - start >= whole.toNanos();
    Soak soak = new Soak(own, chosen, isEnough);
    SplittableRandom random = new SplittableRandom(~chosen);
    List<CrashKind> kinds = CrashKind.all();
    while (!isEnough.getAsBoolean()) {
      soak.run(
          (operations, now) -> {
            long passed = System.nanoTime() - start;
            long left = TimeUnit.NANOSECONDS.toMinutes(Math.max(0, whole.toNanos() - passed));
            progress.show(
                "%,d operations, %,d images, %d minutes left, %s"
                    .formatted(operations / 1000 * 1000, images, left, now),
                Math.min(1, (double) passed / whole.toNanos()));
          });
      for (int i = 0; i < RUNS_OF_CRASHES && !isEnough.getAsBoolean(); i++) {
        checkImages(
            kinds.get(random.nextInt(kinds.size())), random.nextInt(Integer.MAX_VALUE), own);
        checkDamage(
            kinds.get(random.nextInt(kinds.size())), random.nextInt(Integer.MAX_VALUE), own);
      }
    }
    keysInBatches = soak.keysInBatches();
    return soak.operations();
  }

  private void checkImages(CrashKind kind, long imagesSeed, Path own) {
    String wrong = new CrashImages(kind, imagesSeed, own).run(IMAGES_OF_A_RUN, null);
    if (!wrong.isEmpty()) {
      throw new SoakFailure(
          wrong, "--crash-images %s --seed %d".formatted(kind.name(), imagesSeed), null);
    }
    images += IMAGES_OF_A_RUN;
  }

  private void checkDamage(CrashKind kind, long damageSeed, Path own) {
    String wrong = new DamagedImages(kind, damageSeed, own).run(COPIES_OF_A_RUN);
    if (!wrong.isEmpty()) {
      throw new SoakFailure(
          wrong, "--damaged-images %s --seed %d".formatted(kind.name(), damageSeed), null);
    }
    damaged += COPIES_OF_A_RUN;
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
