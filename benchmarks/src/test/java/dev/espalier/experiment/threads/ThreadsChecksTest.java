// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntryRanges;
import dev.espalier.ProgressListener;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.threads.ThreadRates.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks of threads that meet pass on what is aimed at, and fail on something else. */
final class ThreadsChecksTest {
  private static List<Boolean> passing(Consumer<Outcome> addChecks) {
    Outcome outcome = new Outcome(Column.text("map", "map"));
    addChecks.accept(outcome);
    return outcome.checks().stream().map(Check::passes).toList();
  }

  @Test
  void frequentKeysAreToBeNearlyAsFastAsOthers() {
    assertEquals(List.of(true, true), passing(of -> ThreadsSkewed.addChecks(of, skewed(8, 8))));
    assertEquals(List.of(false, true), passing(of -> ThreadsSkewed.addChecks(of, skewed(7.9, 8))));
    assertEquals(List.of(true, false), passing(of -> ThreadsSkewed.addChecks(of, skewed(8, 7.9))));
  }

  private static Map<Setting, Double> skewed(double two, double many) {
    return Map.of(
        new Setting("ConcurrentPbPlusTree, uniform", 2),
        10.0,
        new Setting("ConcurrentPbPlusTree, uniform", 64),
        10.0,
        new Setting("ConcurrentPbPlusTree, Zipf 0.99", 2),
        two,
        new Setting("ConcurrentPbPlusTree, Zipf 0.99", 64),
        many);
  }

  @Test
  void twoReadersAreToBeTwiceAsFastAsOne() {
    assertEquals(List.of(true), passing(of -> ThreadsLocked.addChecks(of, locked(19))));
    assertEquals(List.of(false), passing(of -> ThreadsLocked.addChecks(of, locked(18.9))));
  }

  private static Map<Setting, Double> locked(double two) {
    return Map.of(
        new Setting("PbPlusTree, withReadWriteLock()", 1),
        10.0,
        new Setting("PbPlusTree, withReadWriteLock()", 2),
        two);
  }

  @Test
  void partsAreToScaleWhereOneLockDoesNot() {
    List<Boolean> allPass = List.of(true, true, true);
    assertEquals(allPass, passing(of -> ThreadsPartitioned.addChecks(of, parts(17, 15.3, 11.3))));
    assertEquals(
        List.of(false, true, true),
        passing(of -> ThreadsPartitioned.addChecks(of, parts(16.9, 15.3, 11.2))));
    assertEquals(
        List.of(true, false, true),
        passing(of -> ThreadsPartitioned.addChecks(of, parts(17, 15.3, 11.4))));
    assertEquals(
        List.of(true, true, false),
        passing(of -> ThreadsPartitioned.addChecks(of, parts(17, 15.2, 11.3))));
  }

  private static Map<Setting, Double> parts(double two, double many, double twoBehindOneLock) {
    return Map.of(
        new Setting("PbPlusTree, PartitionedIndex", 1),
        10.0,
        new Setting("PbPlusTree, PartitionedIndex", 2),
        two,
        new Setting("PbPlusTree, PartitionedIndex", 64),
        many,
        new Setting("PbPlusTree, withReadWriteLock()", 2),
        twoBehindOneLock);
  }

  @Test
  void jobsAreToBeFasterWithTwoThreads() {
    assertEquals(List.of(true, true), passing(of -> ThreadsJobs.addChecks(of, jobs(17, 17))));
    assertEquals(List.of(false, true), passing(of -> ThreadsJobs.addChecks(of, jobs(16.9, 17))));
    assertEquals(List.of(true, false), passing(of -> ThreadsJobs.addChecks(of, jobs(17, 16.9))));
  }

  private static Map<ThreadsJobs.Setting, Double> jobs(double join, double bulkload) {
    return Map.of(
        new ThreadsJobs.Setting(ThreadsJobs.JOIN, 1),
        10.0,
        new ThreadsJobs.Setting(ThreadsJobs.JOIN, 2),
        join,
        new ThreadsJobs.Setting(ThreadsJobs.BULKLOAD, 1),
        10.0,
        new ThreadsJobs.Setting(ThreadsJobs.BULKLOAD, 2),
        bulkload);
  }

  @Test
  void jobsOfManyThreadsHaveTheAnswersOfOne() {
    int entries = 50_000;
    long[] keys = LongStream.range(0, entries).map(Entries::key).toArray();
    long[] values = LongStream.range(0, entries).toArray();
    LongEntryRanges sorted = LongEntryRanges.of(keys, values);
    for (int threads = 1; threads <= 4; threads++) {
      assertEquals(ThreadsJobs.sumOfLoaded(entries), ThreadsJobs.bulkload(sorted, threads));
      try (ConcurrentPbPlusTree tree = ConcurrentPbPlusTree.create(IndexOptions.DEFAULT)) {
        tree.bulkload(sorted, 1.0, threads, ProgressListener.NONE);
        assertEquals(Entries.sumOfRanks(keys), ThreadsJobs.join(keys, tree, threads));
      }
    }
  }

  @Test
  void snapshotIsToCostWritersNoMoreThanACopyOfEachNode() {
    assertEquals(List.of(true, true, true), snapshot(5, 1_000_000, 1.05));
    assertEquals(List.of(false, true, true), snapshot(4.9, 1_000_000, 1.05));
    assertEquals(List.of(true, false, true), snapshot(5, 1_000_001, 1.05));
    assertEquals(List.of(true, true, false), snapshot(5, 1_000_000, 1.06));
  }

  private static List<Boolean> snapshot(double beside, double takingNanos, double copied) {
    ThreadsSnapshot.Cost cost = new ThreadsSnapshot.Cost(10, beside, takingNanos, 1, copied, 0);
    return passing(of -> ThreadsSnapshot.addChecks(of, 1, cost));
  }

  @Test
  void readersAreToWaitLessThanAMillisecond() {
    assertEquals(List.of(true), passing(of -> ThreadsLatency.addCheck(of, 1e6)));
    assertEquals(List.of(false), passing(of -> ThreadsLatency.addCheck(of, 1e6 + 1)));
  }

  static List<Experiment> experiments() {
    return List.of(
        new ThreadsSkewed(),
        new ThreadsLocked(),
        new ThreadsLatency(),
        new ThreadsPartitioned(),
        new ThreadsJobs(),
        new ThreadsSnapshot());
  }

  @ParameterizedTest
  @MethodSource("experiments")
  @Tag("thorough")
  void everyAnswerIsCounted(Experiment experiment) {
    Effort effort = new Effort(20_000, 20_000, 1);
    Outcome outcome = experiment.run(new Run(effort, (_, _) -> {}));
    Check wrong = outcome.checks().getFirst();
    assertEquals("wrong answers", wrong.name());
    assertEquals(0, wrong.value());
  }

  @Test
  void placesAreDrawnByZipfsLaw() {
    int count = 1000;
    ZipfRanks ranks = new ZipfRanks(count);
    int draws = 1_000_000;
    int[] drawn = new int[count];
    for (int i = 0; i < draws; i++) {
      drawn[ranks.place((i + 0.5) / draws)]++;
    }
    double zeta = 0;
    for (int i = 1; i <= count; i++) {
      zeta += Math.pow(i, -0.99);
    }
    for (int place : new int[] {0, 1}) { // The method is exact for these, and close for others.
      assertEquals(draws * Math.pow(place + 1, -0.99) / zeta, drawn[place], 1);
    }
    int first100 = Arrays.stream(drawn, 0, 100).sum();
    double expected = 0;
    for (int i = 1; i <= 100; i++) {
      expected += Math.pow(i, -0.99) / zeta;
    }
    assertEquals(expected, (double) first100 / draws, 0.02);
  }

  @Test
  void frequentRanksAreSpread() {
    ZipfRanks ranks = new ZipfRanks(1_000_000);
    SplittableRandom random = new SplittableRandom(1);
    int low = 0;
    for (int i = 0; i < 10_000; i++) {
      int rank = ranks.draw(random);
      assertTrue(rank >= 0 && rank < 1_000_000);
      low += rank < 1000 ? 1 : 0;
    }
    assertTrue(low < 1000, low + " of the first thousand ranks");
  }

  @Test
  void insertionsAreOfEveryKeyOnce() {
    Operations insertions = Operations.insertions(1000);
    boolean[] seen = new boolean[1000];
    int ascents = 0;
    for (int i = 0; i < insertions.count(); i++) {
      assertTrue(insertions.isPut(i));
      seen[insertions.rank(i)] = true;
      ascents += i > 0 && insertions.rank(i) > insertions.rank(i - 1) ? 1 : 0;
    }
    for (boolean one : seen) {
      assertTrue(one);
    }
    assertTrue(ascents > 400 && ascents < 600, ascents + " ascents");
  }
}
