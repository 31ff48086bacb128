// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.NavigableMap;

/** One step from a view to a view of it, or from a map to its sub-map. */
record Narrowing(Kind kind, long from, boolean fromInclusive, long to, boolean toInclusive) {

  enum Kind {
    SUB,
    HEAD,
    TAIL,
    DESCENDING
  }

  LongNavigable of(LongNavigable view) {
    return switch (kind) {
      case SUB -> view.subView(from, fromInclusive, to, toInclusive);
      case HEAD -> view.headView(to, toInclusive);
      case TAIL -> view.tailView(from, fromInclusive);
      case DESCENDING -> view.descendingView();
    };
  }

  NavigableMap<Long, Long> of(NavigableMap<Long, Long> map) {
    return switch (kind) {
      case SUB -> map.subMap(from, fromInclusive, to, toInclusive);
      case HEAD -> map.headMap(to, toInclusive);
      case TAIL -> map.tailMap(from, fromInclusive);
      case DESCENDING -> map.descendingMap();
    };
  }
}
