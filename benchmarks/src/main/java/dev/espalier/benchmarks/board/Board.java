// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** All that was measured, round by round. */
final class Board {
  private final Map<Cell, Map<String, List<Figure>>> rounds = new LinkedHashMap<>();

  /** Adds a round of a store. */
  void add(Cell cell, String store, Figure figure) {
    rounds
        .computeIfAbsent(cell, _ -> new LinkedHashMap<>())
        .computeIfAbsent(store, _ -> new ArrayList<>())
        .add(figure);
  }

  /** Returns the cells of which there is anything. */
  Set<Cell> cells() {
    return rounds.keySet();
  }

  /** Returns the settings of which there is anything, first those of stores as they come. */
  List<Setting> settings() {
    return cells().stream()
        .map(Cell::setting)
        .distinct()
        .sorted(Comparator.comparing(setting -> !setting.isAsItComes()))
        .toList();
  }

  /** Returns the stores that were measured for a cell. */
  Set<String> stores(Cell cell) {
    return rounds.getOrDefault(cell, Map.of()).keySet();
  }

  /** Returns the rounds of a store, none if it was not measured. */
  List<Figure> rounds(Cell cell, String store) {
    return rounds.getOrDefault(cell, Map.of()).getOrDefault(store, List.of());
  }

  /** Returns the medians of a store's rounds, nothing if there are none. */
  Optional<Figure> median(Cell cell, String store) {
    List<Figure> all = rounds(cell, store);
    return all.isEmpty() ? Optional.empty() : Optional.of(Figure.median(all));
  }

  /**
   * Returns how many times as fast as the fastest of its peers a store is; nothing if either was
   * not measured.
   *
   * @param ours the names of Espalier's stores, which are nobody's peers
   */
  OptionalDouble ratio(Cell cell, String store, Set<String> ours) {
    OptionalDouble fastest =
        stores(cell).stream()
            .filter(name -> !ours.contains(name))
            .mapToDouble(name -> median(cell, name).orElseThrow().rate())
            .max();
    Optional<Figure> figure = median(cell, store);
    return figure.isEmpty() || fastest.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(figure.get().rate() / fastest.getAsDouble());
  }
}
