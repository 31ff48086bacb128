// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IndexViewTest {

  /** A call of a view, and what is compared with it. */
  enum Call {
    GET,
    GET_OR_DEFAULT,
    CONTAINS_KEY,
    PUT,
    PUT_IF_ABSENT,
    REMOVE,
    SET,
    DELETE,
    FIRST,
    LAST,
    FLOOR,
    CEILING,
    LOWER,
    HIGHER,
    POLL_FIRST,
    POLL_LAST,
    COUNT_RANGE,
    REMOVE_RANGE,
    CLEAR
  }

  /** A call with its arguments; each call takes what it needs. */
  record Operation(Call call, long a, boolean aInclusive, long b, boolean bInclusive) {

    void runOn(ViewPair pair) {
      LongNavigable view = pair.view();
      NavigableMap<Long, Long> part = pair.part();
      long missing = view.missingValue();
      switch (call) {
        case GET -> ViewPair.same(() -> part.getOrDefault(a, missing), () -> view.get(a));
        case GET_OR_DEFAULT ->
            ViewPair.same(() -> part.getOrDefault(a, b), () -> view.getOrDefault(a, b));
        case CONTAINS_KEY -> ViewPair.same(() -> part.containsKey(a), () -> view.containsKey(a));
        case PUT -> ViewPair.same(() -> orElse(part.put(a, b), missing), () -> view.put(a, b));
        case PUT_IF_ABSENT ->
            ViewPair.same(
                () -> orElse(part.putIfAbsent(a, b), missing), () -> view.putIfAbsent(a, b));
        case REMOVE -> ViewPair.same(() -> orElse(part.remove(a), missing), () -> view.remove(a));
        case SET ->
            ViewPair.same(() -> done(() -> part.put(a, b)), () -> done(() -> view.set(a, b)));
        case DELETE ->
            ViewPair.same(() -> done(() -> part.remove(a)), () -> done(() -> view.delete(a)));
        case FIRST -> {
          ViewPair.same(part::firstEntry, () -> entry(view::first));
          if (!part.isEmpty()) {
            assertEquals(part.firstKey(), view.firstKey());
          }
        }
        case LAST -> {
          ViewPair.same(part::lastEntry, () -> entry(view::last));
          if (!part.isEmpty()) {
            assertEquals(part.lastKey(), view.lastKey());
          }
        }
        case FLOOR -> ViewPair.same(() -> part.floorEntry(a), () -> entry(e -> view.floor(a, e)));
        case CEILING ->
            ViewPair.same(() -> part.ceilingEntry(a), () -> entry(e -> view.ceiling(a, e)));
        case LOWER -> ViewPair.same(() -> part.lowerEntry(a), () -> entry(e -> view.lower(a, e)));
        case HIGHER ->
            ViewPair.same(() -> part.higherEntry(a), () -> entry(e -> view.higher(a, e)));
        case POLL_FIRST -> ViewPair.same(part::pollFirstEntry, () -> entry(view::pollFirst));
        case POLL_LAST -> ViewPair.same(part::pollLastEntry, () -> entry(view::pollLast));
        case COUNT_RANGE ->
            ViewPair.same(
                () -> (long) pair.keysBetween(a, aInclusive, b, bInclusive).size(),
                () -> view.countRange(a, aInclusive, b, bInclusive));
        case REMOVE_RANGE ->
            ViewPair.same(
                () -> removeAll(part, pair.keysBetween(a, aInclusive, b, bInclusive)),
                () -> view.removeRange(a, aInclusive, b, bInclusive));
        case CLEAR -> ViewPair.same(() -> done(part::clear), () -> done(view::clear));
      }
    }

    private static Map.@Nullable Entry<Long, Long> entry(Predicate<LongEntry> call) {
      LongEntry entry = new LongEntry();
      return call.test(entry) ? Map.entry(entry.key(), entry.value()) : null;
    }

    private static long orElse(@Nullable Long value, long missing) {
      return value == null ? missing : value;
    }

    private static boolean done(Runnable call) {
      call.run();
      return true;
    }

    private static long removeAll(NavigableMap<Long, Long> part, List<Long> keys) {
      keys.forEach(part::remove);
      return keys.size();
    }
  }

  @Provide
  Arbitrary<Long> keys() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(-12, 12),
        Arbitraries.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE));
  }

  @Provide
  Arbitrary<Map<Long, Long>> contents() {
    return Arbitraries.maps(keys(), Arbitraries.longs()).ofMaxSize(30);
  }

  @Provide
  Arbitrary<Narrowing> narrowings() {
    Arbitrary<Boolean> booleans = Arbitraries.of(true, false);
    return Combinators.combine(
            Arbitraries.of(Narrowing.Kind.class), keys(), booleans, keys(), booleans)
        .as(Narrowing::new);
  }

  @Provide
  Arbitrary<Operation> operations() {
    Arbitrary<Boolean> booleans = Arbitraries.of(true, false);
    return Combinators.combine(Arbitraries.of(Call.class), keys(), booleans, keys(), booleans)
        .as(Operation::new);
  }

  @Property
  void viewDoesWhatTheSubMapDoes(
      @ForAll("contents") Map<Long, Long> content,
      @ForAll @Size(max = 4) List<@From("narrowings") Narrowing> narrowings,
      @ForAll @Size(max = 12) List<@From("operations") Operation> operations,
      @ForAll boolean locked) {
    LongIndex index = new ModelIndex();
    ViewPair pair = new ViewPair(locked ? index.withReadWriteLock() : index, content);
    narrowings.forEach(pair::narrow);
    pair.assertSameEntries();
    for (Operation operation : operations) {
      operation.runOn(pair);
      pair.assertSameEntries();
    }
  }

  @Test
  void exclusiveBoundsAtTheExtremeKeysLeaveNothing() {
    ModelIndex index = ModelIndex.ofKeys(Long.MIN_VALUE, 0, Long.MAX_VALUE);
    for (LongNavigable view :
        List.of(
            index.headView(Long.MIN_VALUE, false),
            index.tailView(Long.MAX_VALUE, false),
            index.descendingView().headView(Long.MAX_VALUE, false),
            index.descendingView().tailView(Long.MIN_VALUE, false),
            index.subView(0, false, 1, false),
            index.subView(0, false, 0, true))) {
      assertTrue(view.isEmpty());
      assertEquals(0, view.size());
      assertFalse(view.cursor().first());
      assertFalse(view.cursor().last());
      view.clear();
    }
    assertEquals(3, index.size());
  }

  @Test
  void narrowerViewMayRepeatAnExclusiveBoundButNotStepOverIt() {
    LongNavigable view = ModelIndex.ofKeys(1, 5, 9).subView(1, false, 9, false);
    assertEquals(1, view.subView(1, false, 9, false).size());
    assertThrows(IllegalArgumentException.class, () -> view.subView(1, true, 9, false));
    assertThrows(IllegalArgumentException.class, () -> view.subView(0, false, 9, false));
    assertThrows(IllegalArgumentException.class, () -> view.headView(9, true));
    assertThrows(IllegalArgumentException.class, () -> view.tailView(10, false));
  }

  @Test
  void refusalNamesKeyAndBounds() {
    LongNavigable view = new ModelIndex().subView(3, true, 9, false).descendingView();
    assertEquals("key 9 is outside the view's bounds [3, 9)", refusal(() -> view.put(9, 0)));
    assertEquals("key 2 is outside the view's bounds [3, 9)", refusal(() -> view.set(2, 0)));
    assertEquals(
        "key 2 is outside the view's bounds [3, 9)", refusal(() -> view.putIfAbsent(2, 0)));
    assertEquals(
        "from is outside the view's bounds [3, 9): from=9", refusal(() -> view.tailView(9, true)));
    assertEquals(
        "to is outside the view's bounds [3, 9): to=2", refusal(() -> view.headView(2, true)));
    assertEquals(
        "from comes after to in the view's order: from=4, to=5",
        refusal(() -> view.subView(4, true, 5, true)));
  }

  @Test
  void descendingRunsAreLong() {
    NavigableMap<Long, Long> model = new TreeMap<>();
    LongStream.range(0, 1000).forEach(key -> model.put(key, -key));
    ViewPair pair = new ViewPair(new ModelIndex(), model);
    pair.narrow(new Narrowing(Narrowing.Kind.DESCENDING, 0, true, 0, true));
    pair.assertSameEntries();
    LongRun run = new LongRun();
    assertTrue(pair.view().cursor().nextRun(run));
    assertEquals(64, run.count());
    assertTrue(run.segment().isReadOnly());
  }

  @Test
  void everyCallOnAClosedIndexIsRefused() {
    ModelIndex index = ModelIndex.ofKeys(1, 5, 9);
    List<Function<LongIndex, LongNavigable>> views =
        List.of(
            IndexView::all,
            whole -> whole.subView(3, true, 7, true),
            whole -> whole.subView(3, true, 7, true).descendingView());
    List<LongNavigable> opened = views.stream().map(view -> view.apply(index)).toList();
    List<LongCursor> cursors = opened.stream().map(LongNavigable::cursor).toList();
    cursors.forEach(LongCursor::first);
    index.close();
    for (LongNavigable view : opened) {
      for (Consumer<LongNavigable> call : calls()) {
        assertThrows(IllegalStateException.class, () -> call.accept(view));
      }
    }
    for (LongCursor cursor : cursors) {
      for (Consumer<LongCursor> call : cursorCalls()) {
        assertThrows(IllegalStateException.class, () -> call.accept(cursor));
      }
    }
  }

  /** Every call of a view, with keys inside and outside the bounds of [3, 7]. */
  private static List<Consumer<LongNavigable>> calls() {
    return List.of(
        view -> view.get(5),
        view -> view.get(1),
        view -> view.getOrDefault(1, 0),
        view -> view.containsKey(1),
        LongNavigable::missingValue,
        view -> view.put(1, 0),
        view -> view.put(5, 0),
        view -> view.putIfAbsent(1, 0),
        view -> view.remove(1),
        view -> view.set(1, 0),
        view -> view.delete(1),
        LongNavigable::size,
        LongNavigable::isEmpty,
        LongNavigable::clear,
        LongNavigable::cursor,
        view -> view.countRange(1, true, 1, true),
        view -> view.removeRange(1, true, 1, true),
        view -> view.subView(5, true, 5, true),
        view -> view.headView(5, true),
        view -> view.tailView(5, true),
        LongNavigable::descendingView);
  }

  private static List<Consumer<LongCursor>> cursorCalls() {
    return List.of(
        LongCursor::key,
        LongCursor::value,
        cursor -> cursor.setValue(0),
        LongCursor::remove,
        LongCursor::next,
        LongCursor::previous,
        LongCursor::first,
        LongCursor::last,
        cursor -> cursor.floor(0),
        cursor -> cursor.ceiling(0),
        cursor -> cursor.lower(8),
        cursor -> cursor.higher(8),
        cursor -> cursor.nextRun(new LongRun()));
  }

  private static String refusal(Runnable call) {
    return String.valueOf(assertThrows(IllegalArgumentException.class, call::run).getMessage());
  }
}
