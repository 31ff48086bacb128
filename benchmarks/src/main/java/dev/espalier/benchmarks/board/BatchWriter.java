// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.io.WriteBatch;

/** Writes batches to a store, and makes them safe if its setting says so. */
@FunctionalInterface
interface BatchWriter {
  void write(WriteBatch batch);
}
