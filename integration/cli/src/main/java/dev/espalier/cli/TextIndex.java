// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An index whose keys are written as text, whatever they are. */
interface TextIndex {

  /**
   * Writes the entries of keys, in the order of these.
   *
   * @param missing is told of the keys that have none
   * @throws picocli.CommandLine.ParameterException if a key is not written as it should be
   */
  void get(List<String> keys, EntryWriter entries, Consumer<String> missing);

  /**
   * Writes the entries of a range, or until no more can be written.
   *
   * @throws picocli.CommandLine.ParameterException if the range is none of this index
   */
  void scan(Range range, EntryWriter entries);

  /**
   * A range of keys.
   *
   * @param from the first key, which is part of it; null for the smallest
   * @param to the last key, which is part of it; null for the largest
   * @param prefix with which all keys begin, or null
   * @param limit on the number of entries
   * @param descending whether to write the last entry first
   */
  record Range(
      @Nullable String from,
      @Nullable String to,
      @Nullable String prefix,
      long limit,
      boolean descending) {

    /** All entries, in ascending order. */
    static final Range ALL = new Range(null, null, null, Long.MAX_VALUE, false);
  }
}
