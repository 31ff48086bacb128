// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;

/** What is measured of stores that nobody tunes, unless something else is asked for. */
final class AsItComes {
  static final Set<Setting.Kind> KINDS = EnumSet.of(Setting.Kind.LONGS, Setting.Kind.STRINGS_100);

  static final Set<Work> WORKS = EnumSet.of(Work.FILL_RANDOM, Work.A, Work.C, Work.E);

  /** More than a small cache holds, which is what stores have before they are told a size. */
  private static final int LONGS = 8_000_000;

  private static final int STRINGS = 1_000_000;

  private AsItComes() {}

  /** Returns how many entries are loaded. */
  static int entries(Setting.Kind kind) {
    return kind == Setting.Kind.LONGS ? LONGS : STRINGS;
  }

  /**
   * Returns how many times as fast as the fastest other store Espalier is to be; nothing where
   * there is no target.
   */
  static OptionalDouble target(Cell cell) {
    if (!cell.setting().isAsItComes()) {
      return OptionalDouble.empty();
    }
    return switch (cell.setting().kind()) {
      case LONGS -> target(cell.work(), 1.2, 1.8, 3, 2.5);
      case STRINGS_100 -> target(cell.work(), 1, 1.5, 2.5, 1.2);
      case STRINGS_8, STRINGS_1000 -> OptionalDouble.empty();
    };
  }

  private static OptionalDouble target(
      Work work, double toLoad, double ofC, double ofA, double ofE) {
    return switch (work) {
      case FILL_RANDOM -> OptionalDouble.of(toLoad);
      case C -> OptionalDouble.of(ofC);
      case A -> OptionalDouble.of(ofA);
      case E -> OptionalDouble.of(ofE);
      default -> OptionalDouble.empty();
    };
  }
}
