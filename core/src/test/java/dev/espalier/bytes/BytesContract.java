// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.List;
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
   * @param usually how many seeds to check it with; a thorough run takes eight times as many
   */
  record Law(String name, int usually, Check check) {}

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
