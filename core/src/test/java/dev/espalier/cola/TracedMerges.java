// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.IndexOptions;
import dev.espalier.memory.TracedBytes;

/** Prints what merges of a COLA move, and what a trace sees of it. */
public final class TracedMerges {
  /** Key and value. */
  private static final int ELEMENT_BYTES = 16;

  private TracedMerges() {}

  public static void main(String[] args) {
    try (Cola index = Cola.create(IndexOptions.DEFAULT)) {
      TracedBytes.print(
          "Cola",
          () -> {
            for (long i = 0; i < 20_000; i++) {
              index.set(i * 7919 % 20_011, i);
            }
          },
          () -> ELEMENT_BYTES * index.tree.written);
    }
  }
}
