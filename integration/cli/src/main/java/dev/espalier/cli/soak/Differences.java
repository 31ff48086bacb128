// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.LongCursor;
import dev.espalier.LongNavigable;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares answers with those that are right. */
final class Differences {
  private Differences() {}

  /**
   * Compares an answer.
   *
   * @throws AssertionError if it is wrong
   */
  static void check(String what, @Nullable Object expected, @Nullable Object actual) {
    if (!Objects.equals(expected, actual)) {
      throw new AssertionError(what + ": expected " + expected + ", but got " + actual);
    }
  }

  /**
   * Compares a number.
   *
   * @param expected what is right; null if there should be no answer
   * @throws AssertionError if it is wrong
   */
  static void checkNumber(String what, @Nullable Number expected, long actual) {
    if (expected == null || expected.longValue() != actual) {
      throw new AssertionError(what + ": expected " + expected + ", but got " + actual);
    }
  }

  /**
   * Compares all entries, in order.
   *
   * @throws AssertionError for the first difference
   */
  static void checkEntries(NavigableMap<Long, Long> expected, LongNavigable actual) {
    checkNumber("size", expected.size(), actual.size());
    LongCursor cursor = actual.cursor();
    for (Map.Entry<Long, Long> entry : expected.entrySet()) {
      if (!cursor.next()) {
        throw new AssertionError("a scan ends before key " + entry.getKey());
      }
      checkNumber("the next key of a scan", entry.getKey(), cursor.key());
      checkNumber("the value of the next key of a scan", entry.getValue(), cursor.value());
    }
    if (cursor.next()) {
      throw new AssertionError("a scan goes on with key " + cursor.key());
    }
  }
}
