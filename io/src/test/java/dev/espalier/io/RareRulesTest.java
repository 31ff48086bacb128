// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rules whose lack random runs hardly ever show, as {@link RulesTest} has them, each in a run that
 * leads to where it counts; and rules that can be left out because others cover them.
 */
@Tag("thorough")
class RareRulesTest {
  private static final String TREE = "DiskFirstFpbPlusTree";

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  // ---------------------------------------------------------------- epochs

  private static final int SEGMENT_BYTES = 32 << 10;

  /** Records of the second life: as many as end where a block of the log ends. */
  private static final int RECORDS = 256;

  private static IndexStore open(StoreFiles files, long seed, Set<Rule> without) {
    StoreOptions options = StoreOptions.DEFAULT.withSegmentBytes(SEGMENT_BYTES);
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(seed), false, false, without);
    return new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
  }

  private static void fillSegment(IndexStore store, LongIndex index) {
    Log log = store.state().log;
    do {
      index.set(index.size(), 1);
    } while (log.end().offset() + SetRecord.BYTES + LogRecord.END_BYTES <= SEGMENT_BYTES);
  }

  /** Lets go of what a process that has ended had in memory. */
  private static void abandon(IndexStore store) {
    assertThrows(PageFileException.class, store::close);
  }

  /**
   * The first life loses the beginning of a segment that was never forced, but not its records. The
   * second life uses the same file for a segment of the same number, and ends where one of those
   * records begins, which has the next sequence number. Returns whether the third life takes it.
   */
  private static boolean takesOldRecord(long seed, Set<Rule> without) {
    SimulatedDisk disk = DiskTrials.disk(seed);
    IndexStore store = open(disk, seed, without);
    fillSegment(store, store.index("a"));
    store.commit();
    fillSegment(store, store.index("a"));
    store.index("a").set(-1, 1); // Begins another segment, so that this one is written.
    disk.losePower();
    abandon(store);
    disk.restart(CrashPlan.NOTHING);
    store = open(disk, seed, without);
    LongIndex second = store.index("a");
    for (int i = 0; i < RECORDS; i++) {
      second.set(second.size(), 2);
    }
    store.commit();
    long size = second.size();
    disk.restart(CrashPlan.NOTHING); // The process is killed.
    abandon(store);
    store = open(disk, seed, without);
    boolean takes = store.index("a").size() != size;
    store.close();
    return takes;
  }

  @Test
  void epochsTellOldRecordsInASegmentThatIsUsedAgain() {
    assertTrue(
        LongStream.range(0, 100)
            .anyMatch(seed -> takesOldRecord(seed, Set.of(Rule.RECORDS_HAVE_AN_EPOCH))));
    for (long seed : TestSize.seeds(25, 100)) {
      assertFalse(takesOldRecord(seed, Set.of()), "seed " + seed);
    }
  }

  // ---------------------------------------------------------------- what a kill leaves

  /** Kills a process before it has forced the last segment of the log that it makes. */
  private static SimulatedDisk killedInMaking(long seed) {
    SimulatedDisk whole = DiskTrials.disk(seed);
    whole.restart(CrashPlan.NOTHING);
    IndexStore store = open(whole, seed, Set.of());
    List<SimulatedDisk.Done> done = whole.done();
    store.close();
    int last = done.size() - 1;
    while (done.get(last).operation() != DiskOperation.CREATE) {
      last--;
    }
    while (done.get(last).operation() != DiskOperation.FORCE) {
      last++;
    }
    SimulatedDisk disk = DiskTrials.disk(seed);
    disk.restart(CrashPlan.killAt(last + 1));
    assertThrows(PowerLostException.class, () -> open(disk, seed, Set.of()));
    return disk;
  }

  /**
   * Goes on with a store until its log is in the next segment, which is forced last of all. Returns
   * how many operations that takes.
   */
  private static long goOnInNextSegment(SimulatedDisk disk, long seed, StoreFiles files) {
    IndexStore store = open(files, seed, Set.of());
    fillSegment(store, store.index("a"));
    store.commit();
    store.index("a").set(-1, 1);
    try {
      store.commit();
    } catch (PageFileException lost) {
      assertTrue(disk.crashed(), lost::toString);
      abandon(store);
      return disk.operations();
    }
    long operations = disk.operations();
    store.close();
    return operations;
  }

  /**
   * A process is killed while it makes a segment of the log; the next one goes on in that segment.
   * Power is lost when the segment before, which names it, is safe. Returns whether the store is
   * refused then.
   */
  private static boolean isRefused(long seed, UnaryOperator<StoreFiles> around) {
    SimulatedDisk disk = killedInMaking(seed);
    disk.restart(CrashPlan.NOTHING);
    long operations = goOnInNextSegment(disk, seed, around.apply(disk));
    disk = killedInMaking(seed);
    disk.restart(CrashPlan.powerLossAt(operations));
    goOnInNextSegment(disk, seed, around.apply(disk));
    disk.restart(CrashPlan.NOTHING);
    try (IndexStore store = open(disk, seed, Set.of())) {
      assertTrue(store.index("a").size() > SEGMENT_BYTES / SetRecord.BYTES / 2);
      return false;
    } catch (PageFileException refused) {
      return true;
    }
  }

  /** What a process that was killed has made is there, but need not be safe. */
  @ParameterizedTest
  @EnumSource(names = {"RECOVERY_FORCES_THE_LOG", "RECOVERY_FORCES_NAMES"})
  void recoveryMakesASegmentSafeWhoseMakerWasKilled(DiskRule rule) {
    assertTrue(
        LongStream.range(0, 100)
            .anyMatch(seed -> isRefused(seed, files -> new RuleBreaker(files, rule))));
    for (long seed : TestSize.seeds(25, 100)) {
      assertFalse(isRefused(seed, UnaryOperator.identity()), "seed " + seed);
    }
  }

  // ---------------------------------------------------------------- disks

  private static boolean isFound(CrashSetup setup) {
    try {
      new CrashRun(setup).run();
      return false;
    } catch (AssertionError found) {
      return true;
    }
  }

  private static CrashSetup setup(CrashSetup.Mode mode, long seed) {
    return CrashSetup.of(TREE, seed).withMode(mode);
  }

  @Test
  void aForceThatDoesNotCoverTheGrowthOfAFileIsMissed() {
    assertTrue(
        IntStream.range(0, 100)
            .mapToObj(seed -> setup(CrashSetup.Mode.PLAIN, seed))
            .anyMatch(setup -> isFound(setup.withDisk(DiskTraits::withForgottenGrowth))));
  }

  /** Not every file system shows after a failed force what is on the device. */
  @Test
  void readingThroughACacheThatLiesIsMissed() {
    assertTrue(
        IntStream.range(0, 2_000)
            .mapToObj(seed -> setup(CrashSetup.Mode.FAILING_FORCES, seed).withLives(40, 6))
            .anyMatch(setup -> isFound(setup.withDisk(_ -> DiskTraits.USUAL.withStaleCache()))));
  }

  private static CrashSetup rewritesBlocks(CrashSetup setup) {
    return setup.withEnvironment(
        all ->
            new StoreEnvironment(
                all.files(),
                all.random(),
                all.scatters(),
                all.inBackground(),
                Set.of(Rule.ACKNOWLEDGED_BLOCKS_STAY)));
  }

  @Test
  void writingABlockAgainThatHasAcknowledgedRecordsIsMissedWhereSectorsTear() {
    for (long seed : TestSize.seeds(25, 1_000)) {
      new CrashRun(setup(CrashSetup.Mode.GARBAGE_FORESEEN, seed)).run();
    }
    assertTrue(
        IntStream.range(0, 100)
            .mapToObj(seed -> setup(CrashSetup.Mode.GARBAGE_FORESEEN, seed))
            .anyMatch(setup -> isFound(rewritesBlocks(setup))));
  }

  /** A refused write had begun the segment that the next header named, and nothing forced that. */
  @Test
  void aHeaderNamesNoSegmentThatPowerLossTakesAway() {
    new CrashRun(setup(CrashSetup.Mode.GARBAGE_FORESEEN, 889)).run();
  }

  // ---------------------------------------------------------------- covered by others

  /**
   * The name of a new store becomes safe with that of the first segment of its log, which is made
   * before anything is acknowledged. It is forced by the same line as {@link
   * DiskRule#RECOVERY_FORCES_NAMES}, which is missed.
   */
  @Test
  void theNameOfTheFirstSegmentCoversThatOfANewStore() {
    for (long seed : TestSize.seeds(10, 1_000)) {
      CrashSetup setup = setup(CrashSetup.Mode.PLAIN, seed).withLives(12, 12);
      DiskRule rule = DiskRule.FORCE_THE_NAME_OF_A_NEW_STORE;
      new CrashRun(setup.withAround(files -> new RuleBreaker(files, rule))).run();
    }
  }

  @Test
  void aFullStoreIsClosedWhateverItsSnapshotsHold() {
    closeFullStore(Set.of());
  }

  /**
   * One more catalogue would be for giving up a snapshot that the catalogue lists. Snapshots end
   * with their process, and then give back the slots of a whole catalogue at once.
   */
  @Test
  void snapshotsThatEndWithTheProcessCoverTheReserveOfOneMoreCatalogue() {
    closeFullStore(Set.of(Rule.ONE_MORE_CATALOGUE_IS_RESERVED));
  }

  private void closeFullStore(Set<Rule> without) {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(FileOptions.DEFAULT.withPageBytes(256).withPoolBytes(32 * 256))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
    Faults faults = new Faults();
    PageFileOpener engine = faults.over(PageFiles.CHANNEL);
    StoreEnvironment environment =
        new StoreEnvironment(
            new SystemFiles(engine, engine), new SplittableRandom(1), false, false, without);
    Path path = folder.resolve("store");
    long[] keys = LongStream.range(0, 40_000).toArray();
    try (IndexStore store = new StoreOpening(path, options, environment).open()) {
      for (int i = 0; i < 200; i++) {
        store.index("one of many indexes, number " + i);
      }
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      index.bulkload(keys, keys);
      faults.failFrom(1, Errno.ENOSPC, Faults.Operation.GROW);
      assertThrows(
          MemoryLimitException.class,
          () -> {
            for (long key = keys.length; key < 10_000_000; key++) {
              index.set(key, -1);
            }
          });
      store.snapshot();
      store.checkpoint();
    }
    faults.heal();
    try (IndexStore store = new StoreOpening(path, options, environment).open()) {
      assertTrue(store.recovery().wasClean());
      assertEquals(0, store.index("a", DiskOptimizedBPlusTree.VARIANT).get(0));
      assertEquals(List.of("a"), store.names().subList(200, 201));
    }
  }
}
