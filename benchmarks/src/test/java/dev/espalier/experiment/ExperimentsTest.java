// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.TestSize;
import dev.espalier.prefetch.Prefetch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every experiment, run on hardly any data. */
final class ExperimentsTest {
  /** A report has some eighty charts, and is to stay below 3 MB. */
  private static final int MOST_BYTES_OF_A_CHART = 25_000;

  private static final Effort TINY = new Effort(3000, 200, 1);

  static Stream<Experiment> all() {
    return Experiments.all().stream();
  }

  @Test
  void namesAreUniqueAndSayThePaper() {
    List<String> names = all().map(experiment -> experiment.description().name()).toList();
    assertEquals(names.size(), new HashSet<>(names).size());
    for (String name : names) {
      assertTrue(
          name.matches(
              "(thesis|fpb|buf|pio|slides)-(fig|table)\\d+[a-d]?(\\.\\d+)?(-simulated|-stream|-keys)?"
                  + "|(bytes|cosb|threads)-[a-z]+"),
          name);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void listSaysHowLongEveryExperimentTakes(Experiment experiment) {
    String quick = new Durations().of(experiment.description().name(), true);
    assertTrue(quick.matches("\\d+ (s|min)"), quick);
  }

  /** Every fourth experiment, and all in a thorough run. */
  static Stream<Experiment> some() {
    return TestSize.part(Experiments.all()).stream();
  }

  @ParameterizedTest
  @MethodSource("some")
  void everyExperimentGivesRowsThatCanBeDrawnAndPassesItsDeterministicChecks(
      Experiment experiment) {
    assumeTrue(Prefetch.isNative(), "most experiments need native code");
    List<Double> fractions = new ArrayList<>();
    Outcome outcome = experiment.run(new Run(TINY, (task, fraction) -> fractions.add(fraction)));
    Description description = experiment.description();

    assertFalse(outcome.table().rows().isEmpty());
    assertFalse(outcome.checks().isEmpty());
    assertEquals(List.of(), outcome.checks().stream().filter(Check::isFailure).toList());
    assertEquals(fractions.stream().sorted().toList(), fractions);
    assertTrue(fractions.stream().allMatch(fraction -> fraction >= 0 && fraction <= 1));
    for (double value : outcome.table().numbers(description.chart().y())) {
      assertTrue(value >= 0, "a bar or point at " + value);
    }
    Result result =
        new Result(description, Results.circumstances(), outcome, Duration.ofSeconds(1));
    int bytes = new Drawing(result).svg().length;
    assertTrue(bytes < MOST_BYTES_OF_A_CHART, () -> bytes + " bytes");
    for (String text : List.of(description.paper(), description.here())) {
      assertTrue(text.length() > 100 && text.endsWith("."), text);
    }
  }
}
