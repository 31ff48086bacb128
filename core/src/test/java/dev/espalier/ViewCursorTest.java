// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ViewCursorTest {

  /** What a cursor is asked, or what happens to its index behind its back. */
  enum Move {
    FIRST,
    LAST,
    FLOOR,
    CEILING,
    LOWER,
    HIGHER,
    NEXT,
    PREVIOUS,
    SET_VALUE,
    REMOVE,
    NEXT_RUN,
    PUT_BEHIND,
    REMOVE_BEHIND
  }

  /** A move to be made with a key, or value, as it needs. */
  record Step(Move move, long key) {

    boolean take(LongCursor cursor) {
      return switch (move) {
        case FIRST -> cursor.first();
        case LAST -> cursor.last();
        case FLOOR -> cursor.floor(key);
        case CEILING -> cursor.ceiling(key);
        case LOWER -> cursor.lower(key);
        case HIGHER -> cursor.higher(key);
        case NEXT -> cursor.next();
        case PREVIOUS -> cursor.previous();
        default -> throw new AssertionError(move + " moves no cursor");
      };
    }
  }

  /** The view's cursor, and the model's cursor over the sub-map. */
  private record CursorPair(ViewPair views, LongCursor actual, LongCursor expected) {

    static CursorPair over(ViewPair views) {
      return new CursorPair(views, views.view().cursor(), new ModelCursor(views.part(), () -> {}));
    }

    void take(Step step) {
      switch (step.move()) {
        case PUT_BEHIND -> views.putBehind(step.key(), 3 * step.key());
        case REMOVE_BEHIND -> views.removeBehind(step.key());
        case SET_VALUE -> setValue(step.key());
        case REMOVE -> remove();
        case NEXT_RUN -> nextRun();
        default -> assertEquals(step.take(expected), step.take(actual));
      }
      assertSame(expected::key, actual::key);
      assertSame(expected::value, actual::value);
    }

    private void setValue(long value) {
      assertSame(
          () -> done(() -> expected.setValue(value)), () -> done(() -> actual.setValue(value)));
    }

    private void remove() {
      assertSame(() -> done(expected::remove), () -> done(actual::remove));
    }

    /** A run may have any length; its entries are those of as many calls of {@code next}. */
    private void nextRun() {
      LongRun run = new LongRun();
      if (!actual.nextRun(run)) {
        assertFalse(expected.next());
        return;
      }
      assertTrue(run.count() > 0);
      for (int i = 0; i < run.count(); i++) {
        assertTrue(expected.next());
        assertEquals(expected.key(), run.key(i));
        assertEquals(expected.value(), run.value(i));
      }
    }

    private static boolean done(Runnable call) {
      call.run();
      return true;
    }

    private static <T> void assertSame(Supplier<T> expected, Supplier<T> actual) {
      T answer;
      try {
        answer = expected.get();
      } catch (IllegalStateException onNoEntry) {
        assertThrows(IllegalStateException.class, actual::get);
        return;
      }
      assertEquals(answer, actual.get());
    }
  }

  @Provide
  Arbitrary<Long> keys() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(-12, 12), Arbitraries.of(Long.MIN_VALUE, Long.MAX_VALUE));
  }

  @Provide
  Arbitrary<Map<Long, Long>> contents() {
    return Arbitraries.maps(keys(), Arbitraries.longs()).ofMaxSize(25);
  }

  @Provide
  Arbitrary<Narrowing> narrowings() {
    Arbitrary<Boolean> booleans = Arbitraries.of(true, false);
    return Combinators.combine(
            Arbitraries.of(Narrowing.Kind.class), keys(), booleans, keys(), booleans)
        .as(Narrowing::new);
  }

  @Provide
  Arbitrary<Step> steps() {
    return Combinators.combine(Arbitraries.of(Move.class), keys()).as(Step::new);
  }

  @Property
  void viewCursorMovesAsACursorOverTheSubMap(
      @ForAll("contents") Map<Long, Long> content,
      @ForAll @Size(max = 3) List<@From("narrowings") Narrowing> narrowings,
      @ForAll @Size(max = 40) List<@From("steps") Step> steps) {
    ViewPair views = new ViewPair(new ModelIndex(), content);
    narrowings.forEach(views::narrow);
    CursorPair cursors = CursorPair.over(views);
    steps.forEach(cursors::take);
  }

  @Test
  void runStopsAtTheBoundAndTheCursorOnItsLastEntry() {
    LongCursor cursor = ModelIndex.ofKeys(1, 2, 3, 4, 5).subView(1, true, 4, false).cursor();
    LongRun run = new LongRun();
    cursor.first();
    assertTrue(cursor.nextRun(run));
    assertEquals(2, run.count());
    assertEquals(3, run.key(1));
    assertEquals(3, cursor.key());
    assertFalse(cursor.nextRun(run));
    assertThrows(IllegalStateException.class, cursor::key);
  }

  @Test
  void endOfADescendingViewIsToldAfterItsLastRun() {
    LongCursor cursor = ModelIndex.ofKeys(1, 2, 3).descendingView().cursor();
    LongRun run = new LongRun();
    assertTrue(cursor.nextRun(run));
    assertEquals(3, run.count());
    assertEquals(1, cursor.key());
    assertFalse(cursor.nextRun(run));
    assertTrue(cursor.nextRun(run));
    assertEquals(3, run.key(0));
  }
}
