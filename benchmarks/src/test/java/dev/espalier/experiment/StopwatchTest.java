// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class StopwatchTest {

  @Test
  void worksRunInTurn() {
    List<String> calls = new ArrayList<>();
    List<Work<String>> works = List.of(noting("a", 1, calls), noting("b", 2, calls));
    List<Time<String>> times = Stopwatch.time(works, 3, Progress.NONE);
    assertEquals(
        Collections.nCopies(5, List.of("a", "b")).stream().flatMap(List::stream).toList(), calls);
    assertEquals(List.of("a", "b"), times.stream().map(Time::setting).toList());
    assertEquals(List.of(1L, 2L), times.stream().map(Time::answer).toList());
  }

  private static Work<String> noting(String name, long answer, List<String> calls) {
    return new Work<>(
        name,
        1,
        () -> {
          calls.add(name);
          return answer;
        });
  }

  /** One wrong answer must not end a night of measuring; the experiment counts it. */
  @Test
  void answersThatChangeAreWrongWhicheverIsExpected() {
    AtomicLong next = new AtomicLong();
    List<Work<String>> works =
        List.of(
            new Work<>("fickle", 1, next::getAndIncrement), noting("steady", 7, new ArrayList<>()));
    List<Time<String>> times = Stopwatch.time(works, 1, Progress.NONE);
    for (long expected = 0; expected < next.get(); expected++) {
      assertEquals(1, times.getFirst().wrong(expected));
    }
    assertEquals(0, times.getLast().wrong(7));
    assertEquals(1, times.getLast().wrong(8));
  }

  @Test
  void progressGoesFromPartToPart() {
    List<Double> fractions = new ArrayList<>();
    Progress whole = (task, fraction) -> fractions.add(fraction);
    List<Work<String>> works = List.of(noting("a", 1, new ArrayList<>()));
    Stopwatch.time(works, 1, whole.part(0, 2));
    Stopwatch.time(works, 1, whole.part(1, 2));
    assertEquals(0, fractions.getFirst());
    assertEquals(fractions.stream().sorted().toList(), fractions);
    assertEquals(6, fractions.size());
    assertTrue(fractions.getLast() < 1);
  }

  @Test
  void medianIsTheMiddle() {
    assertEquals(2, Stopwatch.median(new double[] {9, 1, 2}));
    assertEquals(3, Stopwatch.median(new double[] {9, 1, 2, 4}));
  }

  @Test
  void meanRatioIsGeometric() {
    assertEquals(2, Numbers.meanRatio(new double[] {1, 40}, new double[] {1, 10}), 1e-12);
    assertThrows(
        IllegalArgumentException.class, () -> Numbers.meanRatio(new double[1], new double[2]));
  }
}
