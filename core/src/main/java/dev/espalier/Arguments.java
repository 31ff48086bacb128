// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Checks of arguments and state whose message names what is wrong and the value. */
final class Arguments {
  private Arguments() {}

  static void checkEqualLengths(int keys, int values) {
    if (keys != values) {
      throw new IllegalArgumentException(
          "keys and values differ in length: keys.length=" + keys + ", values.length=" + values);
    }
  }

  /** For calls that an adapter answers without asking the index, which would check itself. */
  static void checkOpen(LongIndex index) {
    if (index.isClosed()) {
      throw new IllegalStateException("the index is closed");
    }
  }
}
