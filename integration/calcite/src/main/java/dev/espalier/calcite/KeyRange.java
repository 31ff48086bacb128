// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.runtime.CalciteException;

/**
 * The keys that a plan asks for.
 *
 * @param constant known when the plan is made
 * @param bounds known when it runs: comparisons with dynamic parameters
 */
record KeyRange(LongRange constant, List<Bound> bounds) {
  static final KeyRange ALL = new KeyRange(LongRange.ALL, List.of());

  /** Comparison with a dynamic parameter, by its name in the context. */
  record Bound(Comparison comparison, String parameter) {}

  KeyRange {
    bounds = List.copyOf(bounds);
  }

  KeyRange intersect(KeyRange other) {
    List<Bound> all = new ArrayList<>(bounds);
    other.bounds.stream().filter(bound -> !all.contains(bound)).forEach(all::add);
    return new KeyRange(constant.intersect(other.constant), all);
  }

  /**
   * Returns the keys, now that parameters have values; none if one of them is null.
   *
   * @throws CalciteException if one of them is no number
   */
  LongRange at(DataContext context) {
    LongRange range = constant;
    for (Bound bound : bounds) {
      range =
          switch (context.get(bound.parameter())) {
            case null -> LongRange.NONE;
            case Number number -> range.intersect(bound.comparison().with(number.longValue()));
            case Object other ->
                throw new CalciteException(
                    "parameter %s is a %s, and is compared with a key, which is a number"
                        .formatted(bound.parameter(), other.getClass().getName()),
                    null);
          };
    }
    return range;
  }

  boolean isAll() {
    return equals(ALL);
  }

  @Override
  public String toString() {
    if (constant.isEmpty()) {
      return "none";
    }
    List<String> parts = new ArrayList<>();
    if (constant.from() == constant.to()) {
      parts.add("= " + constant.from());
    } else {
      if (constant.from() != Long.MIN_VALUE) {
        parts.add(">= " + constant.from());
      }
      if (constant.to() != Long.MAX_VALUE) {
        parts.add("<= " + constant.to());
      }
    }
    bounds.forEach(bound -> parts.add(bound.comparison() + " " + bound.parameter()));
    return String.join(" and ", parts);
  }
}
