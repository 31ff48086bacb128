// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.threads.ThreadRates.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks pass on what is aimed at, and fail on something else; every answer is counted. */
final class ThreadsInMemoryTest {
  private static Map<Setting, Double> rates(double single, double one, double two, double many) {
    return Map.of(
        new Setting("PbPlusTree", 1), single,
        new Setting("ConcurrentPbPlusTree", 1), one,
        new Setting("ConcurrentPbPlusTree", 2), two,
        new Setting("ConcurrentPbPlusTree", 64), many,
        new Setting("ConcurrentSkipListMap", 2), 3.0);
  }

  private static List<String> failing(ThreadsInMemory experiment, Map<Setting, Double> rates) {
    Outcome outcome = new Outcome(Column.text("map", "map"));
    experiment.addChecks(outcome, rates);
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  @Test
  void treeThatScalesPasses() {
    assertEquals(List.of(), failing(ThreadsInMemory.lookups(), rates(11, 10, 20, 19)));
    assertEquals(List.of(), failing(ThreadsInMemory.mixed(), rates(12.5, 10, 18.5, 17)));
  }

  @Test
  void treeThatDoesNotScaleFails() {
    assertEquals(
        List.of("one thread, time over PbPlusTree", "two threads over one", "64 threads over two"),
        failing(ThreadsInMemory.lookups(), rates(12.5, 10, 18.5, 16)));
    assertEquals(
        List.of(
            "one thread, time over PbPlusTree",
            "two threads over one",
            "64 threads over two",
            "two threads over ConcurrentSkipListMap"),
        failing(ThreadsInMemory.mixed(), rates(14, 10, 16.5, 14)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyMapAnswersAllThatWasLoaded(boolean writes) {
    int entries = 2000;
    Operations operations = new Operations(5000, entries, writes);
    Operations ofMore = new Operations(5000, 2 * entries, false);
    for (Contender contender :
        List.of(
            new SingleTreeContender(entries),
            new ConcurrentTreeContender(entries),
            new OptimisticLockContender(entries),
            new ReadLockContender(entries),
            new PartitionedContender(entries),
            new SkipListContender(entries))) {
      try (contender) {
        assertEquals(0, contender.run(operations, 0, operations.count()), contender.label());
        long beyond = 0;
        for (int i = 0; i < ofMore.count(); i++) {
          beyond += ofMore.rank(i) >= entries ? 1 : 0;
        }
        assertEquals(beyond, contender.run(ofMore, 0, ofMore.count()), contender.label());
      }
    }
  }

  @Test
  void everyAnswerIsCounted() {
    Outcome outcome =
        ThreadsInMemory.mixed().run(new Run(new Effort(20_000, 20_000, 1), (_, _) -> {}));
    Check wrong = outcome.checks().getFirst();
    assertEquals("wrong answers", wrong.name());
    assertEquals(0, wrong.value());
  }
}
