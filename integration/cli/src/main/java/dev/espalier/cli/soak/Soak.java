// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Long runs of one index after the other, until it is enough. */
public final class Soak {
  private static final List<SoakShape> SHAPES = SoakShape.all();

  /** Sizes that indexes grow to: the largest one takes a minute in some shapes. */
  private static final int[] SIZES = {1_000, 10_000, 10_000, 50_000, 300_000};

  private final Path folder;
  private final SplittableRandom random;
  private final BooleanSupplier isEnough;

  /** Told now and then what is done. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Takes how far a run has come since the last time.
     *
     * @param operations how many operations were done
     * @param keysInBatches how many of them were keys of batches
     * @param now what is done at present
     */
    void show(long operations, long keysInBatches, String now);
  }

  /**
   * Prepares.
   *
   * @param folder in which stores get folders of their own
   * @param seed which shapes and seeds follow from
   */
  public Soak(Path folder, long seed, BooleanSupplier isEnough) {
    this.folder = folder;
    this.random = new SplittableRandom(seed);
    this.isEnough = isEnough;
  }

  /**
   * Does a long run of one index, which ends early when it is enough.
   *
   * @throws SoakFailure if anything is wrong; the files that it is about are kept
   */
  public void run(Progress progress) {
    SoakShape shape = SHAPES.get(random.nextInt(SHAPES.size()));
    int entries = Math.min(SIZES[random.nextInt(SIZES.length)], shape.mostEntries());
    run(shape, random.nextInt(Integer.MAX_VALUE), entries, progress);
  }

  /**
   * Does a long run of one index, which is of a certain shape, seed and size.
   *
   * @throws SoakFailure if anything is wrong; the files that it is about are kept
   */
  public void run(SoakShape shape, long seed, int entries, Progress progress) {
    DifferentialRun run = new DifferentialRun(shape, seed, entries, folder);
    Since operations = new Since();
    Since keysInBatches = new Since();
    long whole =
        run.run(
            done -> {
              progress.show(
                  operations.last(done), keysInBatches.last(run.keysInBatches()), shape.name());
              return isEnough.getAsBoolean();
            });
    progress.show(operations.last(whole), keysInBatches.last(run.keysInBatches()), shape.name());
  }

  /** Tells by how much a number that grows has grown. */
  private static final class Since {
    private long before;

    long last(long now) {
      long growth = now - before;
      before = now;
      return growth;
    }
  }
}
