// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * What a {@link CrashRun} is made of. All else that happens in it comes from the seed.
 *
 * @param tree name of the variant of all indexes
 * @param mode what is wrong with the disk, beside that it loses power
 * @param lives of the process, each of which ends by a crash, most of them
 * @param steps of the workload in one life, at most
 * @param disk what is changed of the disk that is drawn
 * @param around what is put around the disk
 * @param environment what is changed of the store's environment
 */
record CrashSetup(
    String tree,
    long seed,
    Mode mode,
    int lives,
    int steps,
    UnaryOperator<DiskTraits> disk,
    UnaryOperator<StoreFiles> around,
    UnaryOperator<StoreEnvironment> environment) {

  /** What is wrong with a disk. */
  enum Mode {
    /** Nothing. */
    PLAIN,
    /** Now and then a force fails. */
    FAILING_FORCES,
    /**
     * A sector that was not forced may be garbage. The store trusts that a sector which is written
     * again with more behind what it had does not lose that; here it may, so a commit promises
     * nothing, and a checkpoint does.
     */
    GARBAGE,
    /** The same, with a store that does not trust sectors. */
    GARBAGE_FORESEEN,
    /** There is little room, and now and then a write finds none though it has its place. */
    FULL
  }

  /** The usual run of a seed, with what is wrong drawn from it. */
  static CrashSetup of(String tree, long seed) {
    Mode[] modes = Mode.values();
    Mode mode =
        new SplittableRandom(seed ^ 0x6d6f6465).nextInt(2) == 0
            ? Mode.PLAIN
            : modes[(int) (seed % modes.length)];
    return new CrashSetup(
        tree,
        seed,
        mode,
        5,
        80,
        UnaryOperator.identity(),
        UnaryOperator.identity(),
        UnaryOperator.identity());
  }

  CrashSetup withMode(Mode other) {
    return new CrashSetup(tree, seed, other, lives, steps, disk, around, environment);
  }

  CrashSetup withLives(int count, int most) {
    return new CrashSetup(tree, seed, mode, count, most, disk, around, environment);
  }

  CrashSetup withDisk(UnaryOperator<DiskTraits> other) {
    return new CrashSetup(tree, seed, mode, lives, steps, other, around, environment);
  }

  CrashSetup withAround(UnaryOperator<StoreFiles> files) {
    return new CrashSetup(tree, seed, mode, lives, steps, disk, files, environment);
  }

  CrashSetup withEnvironment(UnaryOperator<StoreEnvironment> other) {
    return new CrashSetup(tree, seed, mode, lives, steps, disk, around, other);
  }

  /** Draws the bytes of a page. */
  int pageBytes(SplittableRandom random) {
    int least =
        Math.max(
            PagedTrees.leastPageBytes(tree),
            mode == Mode.GARBAGE || mode == Mode.GARBAGE_FORESEEN ? 512 : 256);
    return least << random.nextInt(least == 1024 ? 1 : least == 512 ? 2 : 3);
  }

  /** Draws the disk. */
  DiskTraits traits(SplittableRandom random, int pageBytes) {
    int[] alignments = {1, 512, 4096};
    DiskTraits traits = DiskTraits.USUAL.withAlignment(alignments[random.nextInt(3)]);
    return switch (mode) {
      case PLAIN -> traits;
      // A cache that is believed after a failed force shows what is lost: only direct reads do not.
      case FAILING_FORCES ->
          traits.alignment() == 512 && pageBytes >= 512 ? traits.withStaleCache() : traits;
      case GARBAGE, GARBAGE_FORESEEN -> traits.withGarbageSectors();
      case FULL -> traits.withByteLimit(random.nextLong(96 << 10, 256 << 10));
    };
  }

  /** Returns the options of the store; the pool is small. */
  StoreOptions options(SplittableRandom random, int pageBytes) {
    FileOptions files =
        FileOptions.DEFAULT
            .withPageBytes(pageBytes)
            .withPoolBytes((16L + random.nextInt(32)) * pageBytes);
    if (!tree.equals(StoreBytesIndex.KIND)) {
      files = files.withVariant(PagedTrees.withSmallParts(tree));
    }
    if (mode == Mode.GARBAGE) {
      // What a commit has made safe may be garbage here, which a store would refuse.
      files = files.withFlags(FileOption.LOSE_DAMAGED_LOG);
    }
    if (mode == Mode.GARBAGE_FORESEEN) {
      files = files.withFlags(FileOption.SECTORS_MAY_TEAR);
    }
    return StoreOptions.DEFAULT
        .withFiles(files)
        .withDurability(random.nextInt(4) == 0 ? Durability.EVERY_WRITE : Durability.ON_COMMIT)
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }
}
