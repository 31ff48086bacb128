// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

/** Checks of the parts of a shape. */
final class Shapes {
  private Shapes() {}

  static void checkPositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be positive");
    }
  }

  static void checkNotNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " is " + value + "; it must not be negative");
    }
  }

  static void checkPowerOfTwo(String name, int value) {
    if (Integer.bitCount(value) != 1 || value < 0) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be a power of two");
    }
  }
}
