// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Checks of arguments whose message names the argument and the value. */
final class Arguments {
  private Arguments() {}

  static void checkEqualLengths(int keys, int values) {
    if (keys != values) {
      throw new IllegalArgumentException(
          "keys and values differ in length: keys.length=" + keys + ", values.length=" + values);
    }
  }
}
