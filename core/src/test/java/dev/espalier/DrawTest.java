// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DrawTest {
  private static final AtomicInteger RUN = new AtomicInteger();

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 20_783, -5})
  void threeConsecutiveSeedsInvokeEveryTestWithEveryShapeOnce(long first) {
    List<Method> tests =
        Stream.of(CursorTest.class, BulkloadTest.class, UseAfterCloseTest.class)
            .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(DrawnInvocations::isDrawn)
            .toList();
    assertTrue(tests.size() > 20, tests.toString());
    int shapes = TreeShape.all().size();
    for (Method test : tests) {
      for (int number = 1; number <= shapes; number++) {
        String invocation = Integer.toString(number);
        long times =
            LongStream.range(first, first + 3)
                .filter(seed -> DrawnInvocations.takes(new Draw(seed, 3), test, invocation))
                .count();
        assertEquals(1, times, test + " " + number);
      }
    }
  }

  @Test
  @Tag("thorough")
  void threeConsecutiveSeedsInvokeEverythingThatThereIs() {
    DrawnSeeds seeds = DrawnSeeds.ofModule(DrawTest.class);
    assertTrue(seeds.all().size() > 3_000, seeds.all()::toString);
    assertEquals(Set.of(), seeds.missingFrom(TestSize.seed()));
  }

  /** Draws from what is drawn already. */
  static final class DrawnTwice {
    static List<Integer> numbers() {
      return Draw.current().of("", IntStream.range(0, 100).boxed().toList());
    }

    @Drawn
    @ParameterizedTest
    @MethodSource("numbers")
    void number(int number) {
      throw new AssertionError("told only: " + number);
    }
  }

  @Test
  void whatIsDrawnTwiceIsFoundToBeIncomplete() {
    DrawnSeeds seeds = DrawnSeeds.of(DrawnTwice.class);
    assertEquals(100, seeds.all().size());
    int missing = seeds.missingFrom(7).size();
    assertTrue(missing > 50 && missing < 90, "missing: " + missing);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 10})
  void asManySeedsAsThereArePartsTakeEachOnce(int parts) {
    List<Integer> all = IntStream.range(0, 100).boxed().toList();
    List<Integer> taken = new ArrayList<>();
    for (long seed = 20_784; seed < 20_784 + parts; seed++) {
      taken.addAll(new Draw(seed, parts).of("numbers", all));
    }
    assertEquals(all, taken.stream().sorted().toList());
  }

  @Test
  void testsOfOneSeedHaveDifferentShapes() {
    Draw draw = new Draw(7, 3);
    assertEquals(
        3,
        IntStream.range(0, 20)
            .mapToObj(i -> draw.of("test " + i, List.of(0, 1, 2)))
            .distinct()
            .count());
  }

  @Test
  void testsWithoutAShapeAreNotDrawn() throws NoSuchMethodException {
    Method test =
        DrawTest.class.getDeclaredMethod("asManySeedsAsThereArePartsTakeEachOnce", int.class);
    assertTrue(
        IntStream.range(0, 5).allMatch(i -> DrawnInvocations.takes(new Draw(i, 9), test, "1")));
  }

  @Test
  void conditionIsFoundByJUnit() {
    assertTrue(
        ServiceLoader.load(Extension.class).stream()
            .anyMatch(service -> service.type() == DrawnInvocations.class));
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallest")
  void shapesThatAreNotDrawnAreLeftOut(TreeShape shape) {
    assertTrue(TreeShape.smallest().stream().anyMatch(s -> s.name().equals(shape.name())));
    RUN.incrementAndGet();
  }

  @AfterAll
  static void asManyRanAsAreDrawn() throws NoSuchMethodException {
    Method test =
        DrawTest.class.getDeclaredMethod("shapesThatAreNotDrawnAreLeftOut", TreeShape.class);
    long drawn =
        IntStream.rangeClosed(1, TreeShape.smallest().size())
            .filter(i -> DrawnInvocations.takes(Draw.OF_RUN, test, Integer.toString(i)))
            .count();
    assertEquals(drawn, RUN.get());
  }
}
