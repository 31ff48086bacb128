// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.DataContext;

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

  /** Returns the keys, now that parameters have values; none if one of them is null. */
  LongRange at(DataContext context) {
    LongRange range = constant;
    for (Bound bound : bounds) {
      Object value = context.get(bound.parameter());
      range =
          value instanceof Number number
              ? range.intersect(bound.comparison().with(number.longValue()))
              : LongRange.NONE;
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
