// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.TestSize;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The laws that every {@link BytesIndex} keeps. {@link BytesContractTest} shows that each can fail.
 */
final class BytesContract {

  /** Throws an {@link AssertionError} for an index that does not keep it. */
  @FunctionalInterface
  interface Check {
    void of(BytesShape shape, long seed) throws Exception;
  }

  /**
   * A law.
   *
   * @param usually how many seeds to check it with; a thorough run takes more
   * @param needsLimit whether it is about indexes that are full
   */
  record Law(String name, int usually, Check check, boolean needsLimit) {
    Law(String name, int usually, Check check) {
      this(name, usually, check, false);
    }

    /** Checks it with all seeds, or in a thorough run with the day's. */
    void check(BytesShape shape) throws Exception {
      check(shape, TestSize.seeds(name, usually, shape.thoroughly() * usually));
    }

    /** Checks it with the seeds of a usual run, whatever the day draws. */
    void checkAsUsual(BytesShape shape) throws Exception {
      check(shape, LongStream.range(0, usually).toArray());
    }

    private void check(BytesShape shape, long[] seeds) throws Exception {
      for (long seed : seeds) {
        try {
          check.of(shape, seed);
        } catch (AssertionError | RuntimeException broken) {
          throw new AssertionError("broken with seed " + seed + ": " + broken.getMessage(), broken);
        }
      }
    }
  }

  private BytesContract() {}

  static List<Law> laws() {
    return Stream.of(ViewLaws.LAWS, CursorLaws.LAWS, ValueLaws.LAWS, BatchLaws.LAWS, LimitLaws.LAWS)
        .flatMap(List::stream)
        .toList();
  }

  static Law law(String name) {
    return laws().stream().filter(law -> law.name().equals(name)).findFirst().orElseThrow();
  }
}
