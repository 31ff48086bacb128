// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.soak.Soak;
import dev.espalier.cli.soak.SoakFailure;
import dev.espalier.cli.soak.SoakShape;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What one thread of a soak does: long runs of indexes take half of its time, crashes, damage and
 * lies the other half. Runs take from less than a second to minutes, so that their number would not
 * divide the time.
 */
final class SoakWorker {
  private static final int IMAGES_OF_A_RUN = 50;
  private static final int COPIES_OF_A_RUN = 20;
  private static final int LYING_STORES_OF_A_RUN = 10;

  /** So that there are about twice as many damaged copies as images, and half as many lies. */
  private static final int DAMAGED_STORES_OF_A_TURN = 5;

  private static final int LYING_TREES_OF_A_TURN = 3;

  private final Path folder;
  private final SoakCounts counts;
  private final Consumer<String> progress;

  /**
   * Prepares.
   *
   * @param folder in which files are for a while
   * @param counts to which it adds what it has done
   * @param progress told often what is done at present
   */
  SoakWorker(Path folder, SoakCounts counts, Consumer<String> progress) {
    this.folder = folder;
    this.counts = counts;
    this.progress = progress;
  }

  /**
   * Goes on until it is enough.
   *
   * @param seed which shapes, kinds and seeds follow from
   * @throws SoakFailure if anything is wrong; the files that it is about are kept
   */
  void run(long seed, BooleanSupplier isEnough) {
    Soak soak = new Soak(folder, seed, isEnough);
    SplittableRandom random = new SplittableRandom(~seed);
    long ofIndexes = 0;
    long ofFiles = 0;
    while (!isEnough.getAsBoolean()) {
      long start = System.nanoTime();
      if (ofIndexes <= ofFiles) {
        soak.run(this::add);
        ofIndexes += System.nanoTime() - start;
      } else {
        checkFiles(random, isEnough);
        ofFiles += System.nanoTime() - start;
      }
    }
  }

  private void checkFiles(SplittableRandom random, BooleanSupplier isEnough) {
    List<CrashKind> kinds = CrashKind.all();
    List<SoakShape> shapes = LyingStores.shapes();
    checkImages(any(kinds, random), random.nextInt(Integer.MAX_VALUE));
    for (int i = 0; i < DAMAGED_STORES_OF_A_TURN && !isEnough.getAsBoolean(); i++) {
      checkDamage(any(kinds, random), random.nextInt(Integer.MAX_VALUE));
    }
    for (int i = 0; i < LYING_TREES_OF_A_TURN && !isEnough.getAsBoolean(); i++) {
      checkLies(any(shapes, random), random.nextInt(Integer.MAX_VALUE));
    }
  }

  private static <T> T any(List<T> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }

  private void add(long operations, long keysInBatches, String now) {
    counts.operations.add(operations);
    counts.keysInBatches.add(keysInBatches);
    progress.accept(now);
  }

  /**
   * Compares one index with a map.
   *
   * @throws SoakFailure if anything is wrong
   */
  void compare(SoakShape shape, long seed, int entries) {
    new Soak(folder, seed, () -> false).run(shape, seed, entries, this::add);
  }

  /**
   * Checks images of crashes of one run.
   *
   * @throws SoakFailure if one is wrong
   */
  void checkImages(CrashKind kind, long seed) {
    progress.accept("crashes of " + kind.name());
    String wrong = new CrashImages(kind, seed, folder).run(IMAGES_OF_A_RUN, _ -> false);
    if (!wrong.isEmpty()) {
      throw new SoakFailure(
          wrong, "--crash-images %s --seed %d".formatted(kind.name(), seed), null);
    }
    counts.images.add(IMAGES_OF_A_RUN);
  }

  /**
   * Checks damaged copies of one store.
   *
   * @throws SoakFailure if one is wrong
   */
  void checkDamage(CrashKind kind, long seed) {
    progress.accept("damage to " + kind.name());
    String wrong = new DamagedImages(kind, seed, folder).run(COPIES_OF_A_RUN);
    if (!wrong.isEmpty()) {
      throw new SoakFailure(
          wrong, "--damaged-images %s --seed %d".formatted(kind.name(), seed), null);
    }
    counts.copies.add(COPIES_OF_A_RUN);
  }

  /**
   * Checks stores of one tree whose pages lie.
   *
   * @throws SoakFailure if one is wrong
   */
  void checkLies(SoakShape shape, long seed) {
    progress.accept("lies in " + shape.name());
    String wrong = new LyingStores(shape, seed, folder).run(LYING_STORES_OF_A_RUN);
    if (!wrong.isEmpty()) {
      throw new SoakFailure(
          wrong, "--lying-pages '%s' --seed %d".formatted(shape.name(), seed), null);
    }
    counts.lyingStores.add(LYING_STORES_OF_A_RUN);
  }
}
