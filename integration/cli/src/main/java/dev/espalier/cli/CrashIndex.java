// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.WriteBatch;
import java.util.OptionalLong;

/** An index that a crash test writes: a plan's keys and values are longs, or made into others. */
interface CrashIndex {
  void set(long key, long value);

  void delete(long key);

  OptionalLong get(long key);

  void addSet(WriteBatch batch, long key, long value);

  void addDelete(WriteBatch batch, long key);

  /**
   * Shows all entries in ascending order.
   *
   * @throws IllegalStateException if there is one that was not made of longs
   */
  void forEach(Entry entries);

  /** Takes an entry. */
  @FunctionalInterface
  interface Entry {
    void accept(long key, long value);
  }
}
