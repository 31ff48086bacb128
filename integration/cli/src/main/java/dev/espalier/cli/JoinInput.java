// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.join.OuterSource;
import java.util.Arrays;

/**
 * A join to be measured. The values of the inner side are its row numbers, counted from 0.
 *
 * @param name the tables' names
 * @param outerKeys the keys to probe with, in the order of the probes
 * @param outerRows for each of them, the row it comes from
 * @param innerKeys the keys of the inner side, ascending
 */
@SuppressWarnings("ArrayRecordComponent") // Columns; never compared.
record JoinInput(String name, long[] outerKeys, long[] outerRows, long[] innerKeys) {

  OuterSource outer() {
    return OuterSource.of(outerKeys, outerRows);
  }

  /** Returns the first rows of both sides. */
  JoinInput head(int outer, int inner) {
    return new JoinInput(
        name,
        Arrays.copyOf(outerKeys, Math.min(outer, outerKeys.length)),
        Arrays.copyOf(outerRows, Math.min(outer, outerRows.length)),
        Arrays.copyOf(innerKeys, Math.min(inner, innerKeys.length)));
  }
}
