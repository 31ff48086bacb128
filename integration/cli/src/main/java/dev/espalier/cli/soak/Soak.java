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
  private long operations;
  private long keysInBatches;

  /** Told now and then what is done. */
  @FunctionalInterface
  public interface Progress {
    /** Takes what was done so far, and what is done now. */
    void show(long operations, String now);
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
    int entries = SIZES[random.nextInt(SIZES.length)];
    long before = operations;
    DifferentialRun run =
        new DifferentialRun(shape, random.nextInt(Integer.MAX_VALUE), entries, folder);
    operations +=
        run.run(
            done -> {
              progress.show(before + done, shape.name());
              return isEnough.getAsBoolean();
            });
    keysInBatches += run.keysInBatches();
  }

  /** Returns how many operations were compared: of calls, but of batches each key. */
  public long operations() {
    return operations;
  }

  /** Returns how many of them were keys of batches. */
  public long keysInBatches() {
    return keysInBatches;
  }
}
