// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was saved from a damaged store, and what was not. Every key is in the new store with its
 * right value, or lies in a range that is listed, or was not there.
 *
 * @param findings what is damaged, each in a sentence; more than a few damaged pages are only
 *     counted
 * @param records log records that were carried out
 * @param indexes the indexes in the order in which they were made
 */
public record SalvageReport(List<String> findings, long records, List<Index> indexes) {

  /**
   * What was saved of an index.
   *
   * @param name name of the index
   * @param kind name of its tree
   * @param entries number of entries saved
   * @param ranges ranges of keys in which not everything that was there was saved, ascending; for
   *     an index of longs, or one of which nothing is known
   * @param keyRanges the same for an index of byte strings
   */
  public record Index(
      String name, String kind, long entries, List<Range> ranges, List<KeyRange> keyRanges) {
    /** Tells whether all was saved. */
    public boolean isComplete() {
      return ranges.isEmpty() && keyRanges.isEmpty();
    }
  }

  /**
   * A range of keys.
   *
   * @param first the smallest key
   * @param last the largest key, included
   * @param mayBeOld true if what could be found there was saved, but it may be older than what was
   *     there last, or have been removed since; false if nothing was saved, because everything is
   *     lost
   * @param reason why
   */
  public record Range(long first, long last, boolean mayBeOld, String reason) {}

  /**
   * A range of keys that are byte strings.
   *
   * @param first a lower bound: no key is below it
   * @param end an upper bound: all keys are below it; null if there is none
   * @param mayBeOld as in {@link Range}
   * @param reason why
   */
  @SuppressWarnings("ArrayRecordComponent") // It is never compared.
  public record KeyRange(byte[] first, byte @Nullable [] end, boolean mayBeOld, String reason) {}

  /** Tells whether all was saved. */
  public boolean isComplete() {
    return indexes.stream().allMatch(Index::isComplete);
  }
}
