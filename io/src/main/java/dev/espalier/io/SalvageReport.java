// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was saved from a damaged store, and what was not. A key is in the new store with its right
 * value, or in a range that is listed, or was not there.
 *
 * @param findings what is damaged, each in a sentence; more than a few damaged pages are only
 *     counted
 * @param records of the log that were carried out
 * @param indexes in the order in which they were made
 */
public record SalvageReport(List<String> findings, long records, List<Index> indexes) {

  /**
   * What was saved of an index.
   *
   * @param name of it
   * @param kind name of its tree
   * @param entries saved
   * @param ranges of keys of which not all that was there was saved, ascending; of an index of
   *     longs, or one of which nothing is known
   * @param keyRanges the same of an index of byte strings
   */
  public record Index(
      String name, String kind, long entries, List<Range> ranges, List<KeyRange> keyRanges) {
    /** Tells whether all was saved. */
    public boolean isComplete() {
      return ranges.isEmpty() && keyRanges.isEmpty();
    }
  }

  /**
   * Keys.
   *
   * @param first the smallest
   * @param last the largest, included
   * @param mayBeOld true if what could be found there was saved, but it may be older than what was
   *     there last, or have been removed since; false if nothing was saved, for all is lost
   * @param reason why
   */
  public record Range(long first, long last, boolean mayBeOld, String reason) {}

  /**
   * Keys that are byte strings.
   *
   * @param first none of them is below it
   * @param end all of them are below it; null if they may be any from the first on
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
