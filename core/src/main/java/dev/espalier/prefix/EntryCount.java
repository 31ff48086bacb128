// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.support.Epochs;
import org.jspecify.annotations.Nullable;

/**
 * The number of entries of a tree. In a tree for one writer it is the meta word; one for many
 * threads counts with its operations, and brings the meta word up to date when it is wanted.
 */
final class EntryCount {
  private final long[] meta;
  private final @Nullable Epochs epochs;

  /**
   * Reads the count of a tree that is being opened.
   *
   * @param epochs of a tree for many threads, or null
   */
  EntryCount(long[] meta, @Nullable Epochs epochs) {
    this.meta = meta;
    this.epochs = epochs;
    set(meta[PrefixStructure.SIZE]);
  }

  /** Counts entries that were inserted or, with a minus, removed. */
  void add(long entries) {
    if (epochs == null) {
      meta[PrefixStructure.SIZE] += entries;
    } else {
      epochs.count(entries);
    }
  }

  /** Sets the number of all entries, while nobody else is in the tree. */
  void set(long entries) {
    meta[PrefixStructure.SIZE] = entries;
    if (epochs != null) {
      epochs.count(entries - epochs.entries());
    }
  }

  /** Returns the number of entries, which beside writers may be off by what they count. */
  long get() {
    return Math.max(0, raw());
  }

  /** Returns the same as it was counted: below 0 if a removal is counted before its insert. */
  long raw() {
    return epochs == null ? meta[PrefixStructure.SIZE] : epochs.entries();
  }

  /** Brings the meta word up to date. */
  void write() {
    meta[PrefixStructure.SIZE] = raw();
  }
}
