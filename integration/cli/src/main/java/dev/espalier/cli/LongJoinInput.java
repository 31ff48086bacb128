// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.join.OuterSource;
import java.util.Arrays;

/**
 * A join whose keys are longs.
 *
 * @param name the tables' names
 * @param outerKeys the keys to probe with, in the order of the probes
 * @param outerRows for each of them, the row it comes from
 * @param innerKeys the keys of the inner side, ascending
 */
@SuppressWarnings("ArrayRecordComponent") // Columns; never compared.
record LongJoinInput(String name, long[] outerKeys, long[] outerRows, long[] innerKeys)
    implements JoinInput<LongJoinInput> {

  OuterSource outer() {
    return OuterSource.of(outerKeys, outerRows);
  }

  @Override
  public int outerCount() {
    return outerKeys.length;
  }

  @Override
  public int innerCount() {
    return innerKeys.length;
  }

  @Override
  public JoinDigest hashJoin() {
    return HashJoin.join(this);
  }

  @Override
  public LongJoinInput head(int outer, int inner) {
    return new LongJoinInput(
        name,
        Arrays.copyOf(outerKeys, Math.min(outer, outerKeys.length)),
        Arrays.copyOf(outerRows, Math.min(outer, outerRows.length)),
        Arrays.copyOf(innerKeys, Math.min(inner, innerKeys.length)));
  }
}
