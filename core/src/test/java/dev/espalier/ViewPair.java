// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A view of an index, and the sub-map of a {@link TreeMap} that it must equal. */
final class ViewPair {
  private final LongIndex index;
  private final NavigableMap<Long, Long> model = new TreeMap<>();
  private LongNavigable view;
  private NavigableMap<Long, Long> part = model;

  /** Puts {@code content} into the empty {@code index}; the view is then the whole of it. */
  ViewPair(LongIndex index, Map<Long, Long> content) {
    this.index = index;
    this.view = index;
    content.forEach(this::putBehind);
  }

  LongNavigable view() {
    return view;
  }

  NavigableMap<Long, Long> part() {
    return part;
  }

  /** Writes to the whole index, past the view. */
  void putBehind(long key, long value) {
    index.set(key, value);
    model.put(key, value);
  }

  /** Removes from the whole index, past the view. */
  void removeBehind(long key) {
    index.delete(key);
    model.remove(key);
  }

  /** Narrows view and part, or neither if that is refused. */
  void narrow(Narrowing narrowing) {
    NavigableMap<Long, Long> whole = part;
    same(
        () -> {
          part = narrowing.of(whole);
          return null;
        },
        () -> {
          view = narrowing.of(view);
          return null;
        });
  }

  /** Checks that the view answers what the part answers, and refuses what the part refuses. */
  static <T extends @Nullable Object> void same(Supplier<T> onPart, Supplier<T> onView) {
    T expected;
    try {
      expected = onPart.get();
    } catch (IllegalArgumentException refused) {
      assertThrows(IllegalArgumentException.class, onView::get);
      return;
    }
    assertEquals(expected, onView.get());
  }

  /**
   * Returns the keys of the part that lie between two bounds.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in the part's order
   */
  List<Long> keysBetween(long from, boolean fromInclusive, long to, boolean toInclusive) {
    Comparator<? super Long> declared = part.comparator();
    Comparator<? super Long> order = declared == null ? Comparator.<Long>naturalOrder() : declared;
    if (order.compare(from, to) > 0) {
      throw new IllegalArgumentException("from comes after to");
    }
    return part.keySet().stream()
        .filter(key -> order.compare(key, from) >= (fromInclusive ? 0 : 1))
        .filter(key -> order.compare(key, to) <= (toInclusive ? 0 : -1))
        .toList();
  }

  /** Checks that the view shows exactly the part, by every way of scanning. */
  void assertSameEntries() {
    List<Map.Entry<Long, Long>> expected = List.copyOf(part.entrySet());
    assertEquals(expected, entriesAhead());
    assertEquals(expected.reversed(), entriesBack());
    assertEquals(expected, entriesByRuns());
    assertEquals(expected.size(), view.size());
    assertEquals(expected.isEmpty(), view.isEmpty());
    assertEquals(model, index.asMap());
  }

  private List<Map.Entry<Long, Long>> entriesAhead() {
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    LongCursor cursor = view.cursor();
    while (cursor.next()) {
      entries.add(Map.entry(cursor.key(), cursor.value()));
    }
    return entries;
  }

  private List<Map.Entry<Long, Long>> entriesBack() {
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    LongCursor cursor = view.cursor();
    while (cursor.previous()) {
      entries.add(Map.entry(cursor.key(), cursor.value()));
    }
    return entries;
  }

  private List<Map.Entry<Long, Long>> entriesByRuns() {
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    LongCursor cursor = view.cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        entries.add(Map.entry(run.key(i), run.value(i)));
      }
    }
    return entries;
  }
}
