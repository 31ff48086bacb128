// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.Drawn;
import dev.espalier.LongIndex;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store that leaves out one of its rules is found to lose something: crashes that find nothing in
 * a store that follows them all mean something.
 *
 * <p>Those that random runs hardly ever miss, and those that others cover, are in {@link
 * RareRulesTest}.
 */
class RulesTest {
  private static final String TREE = "DiskFirstFpbPlusTree";

  /** Runs until a rule is missed; most take a few, some about fifty. */
  private static final int USUAL_RUNS = 600;

  private static final int MOST_RUNS = 10_000;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private static CrashSetup without(Rule rule, CrashSetup setup) {
    return setup.withEnvironment(
        all ->
            new StoreEnvironment(
                all.files(), all.random(), all.scatters(), all.inBackground(), Set.of(rule)));
  }

  private static CrashSetup without(DiskRule rule, CrashSetup setup) {
    return setup.withAround(files -> new RuleBreaker(files, rule));
  }

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

  private static void assertMissed(Rule rule, int runs) {
    for (int seed = 0; seed < runs; seed++) {
      if (isFound(without(rule, setup(CrashSetup.Mode.PLAIN, seed)))) {
        return;
      }
    }
    throw new AssertionError(rule + " was not missed in " + runs + " runs");
  }

  private static void assertMissed(DiskRule rule, CrashSetup.Mode mode, int runs) {
    for (int seed = 0; seed < runs; seed++) {
      if (isFound(without(rule, setup(mode, seed)))) {
        return;
      }
    }
    throw new AssertionError(rule + " was not missed in " + runs + " runs");
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "CAPTURED_SLOTS_ARE_NOT_FRESH",
        "MAPS_ARE_NEVER_IN_PLACE",
        "SEGMENTS_ARE_FREE_AFTER_THE_HEADER",
        "HEADER_COMES_LAST",
        "TRUNCATION_COMES_AFTER_THE_HEADER",
        "PAGES_AND_LOG_POSITION_ARE_OF_ONE_MOMENT",
        "NO_CAPTURE_INSIDE_A_BATCH",
        "UNLOGGED_CHANGES_END_IN_A_CHECKPOINT",
        "RECOVERY_ENDS_IN_A_CHECKPOINT",
        "RECORDS_HAVE_A_CHECKSUM",
        "RECORDS_TELL_WHAT_WAS_FORCED"
      })
  @Tag("thorough")
  void ruleOfTheStoreIsMissed(Rule rule) {
    assertMissed(rule, USUAL_RUNS);
  }

  @ParameterizedTest
  @CsvSource({
    "FORCE_PAGES_BEFORE_THE_HEADER, PLAIN",
    "FORCE_THE_HEADER, PLAIN",
    "FORCE_BEFORE_ACKNOWLEDGING, PLAIN",
    "FORCE_ALL_SEGMENTS, PLAIN",
    "FORCE_THE_FIRST_BLOCK_OF_A_NEW_LOG, PLAIN",
    "FORCE_THE_NAME_OF_A_SEGMENT, PLAIN",
    "HEADERS_HAVE_A_CHECKSUM, GARBAGE",
    "A_FAILED_FORCE_IS_NOT_TRIED_AGAIN, FAILING_FORCES"
  })
  @Tag("thorough")
  void ruleOfTheDiskIsMissed(DiskRule rule, CrashSetup.Mode mode) {
    assertMissed(rule, mode, USUAL_RUNS);
  }

  @Drawn
  @Tag("thorough")
  @ParameterizedTest
  @EnumSource(
      names = {"SNAPSHOTS_HOLD_THEIR_SLOTS", "DURABLE_SLOTS_STAY_BUSY", "SEQUENCE_HAS_NO_HOLE"})
  void ruleOfTheStoreIsMissedAtLast(Rule rule) {
    assertMissed(rule, MOST_RUNS);
  }

  @Drawn
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "FORCE_A_NEW_STORE_BEFORE_ITS_NAME, PLAIN",
    "FORCE_THE_LOG_BEFORE_THE_HEADER, PLAIN",
    "HEADERS_HAVE_TWO_PLACES, GARBAGE"
  })
  void ruleOfTheDiskIsMissedAtLast(DiskRule rule, CrashSetup.Mode mode) {
    assertMissed(rule, mode, MOST_RUNS);
  }

  @Drawn
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "RECOVERY_FORCES_NAMES, PLAIN, 12, 3000",
    "RECOVERY_FORCES_PAGES, FAILING_FORCES, 6, 0",
    "FORCE_THE_ZEROS_OF_A_SEGMENT, PLAIN, 12, 0"
  })
  void forceIsMissedAtLastInShortLives(DiskRule rule, CrashSetup.Mode mode, int steps, int from) {
    for (int seed = from; seed < from + MOST_RUNS; seed++) {
      CrashSetup shortLives = setup(mode, seed).withLives(12, steps);
      if (isFound(without(rule, shortLives))) {
        return;
      }
    }
    throw new AssertionError(rule + " was not missed in " + MOST_RUNS + " runs");
  }

  /** Fills a disk with an index whose map is larger than what each change keeps free. */
  private void checkpointOnAFullDisk(String name, Set<Rule> without) {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(FileOptions.DEFAULT.withPageBytes(256).withPoolBytes(32 * 256))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
    Faults faults = new Faults();
    PageFileOpener engine = faults.over(PageFiles.CHANNEL);
    StoreEnvironment environment =
        new StoreEnvironment(
            new SystemFiles(engine, engine), new SplittableRandom(1), false, false, without);
    IndexStore store = new StoreOpening(folder.resolve(name), options, environment).open();
    LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
    long[] keys = LongStream.range(0, 40_000).toArray();
    index.bulkload(keys, keys);
    SplittableRandom random = new SplittableRandom(1);
    Snapshot held = store.snapshot();
    faults.failFrom(1, Errno.ENOSPC, Faults.Operation.GROW);
    assertThrows(
        MemoryLimitException.class,
        () -> {
          for (int i = 0; i < 1_000_000; i++) {
            index.set(random.nextInt(keys.length), -1);
          }
        });
    try {
      store.checkpoint();
    } finally {
      faults.heal();
      held.close();
      store.close();
    }
  }

  @Test
  void reservationIsMissedByALargeIndexOnAFullDisk() {
    checkpointOnAFullDisk("reserved", Set.of());
    assertThrows(
        NoSlotException.class,
        () -> checkpointOnAFullDisk("unreserved", Set.of(Rule.SLOTS_ARE_RESERVED)));
  }

  @Test
  void runIsReplayedByItsSeed() {
    CrashSetup setup = CrashSetup.of(TREE, 7);
    CrashRun.Outcome first = new CrashRun(setup).run();
    CrashRun.Outcome second = assertDoesNotThrow(() -> new CrashRun(setup).run());
    assertTrue(first.equals(second), first + " and " + second);
  }
}
