// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.bytes.PackedBytes;
import dev.espalier.join.BytesOuterSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A join whose keys are texts. Rows are counted from 0 on both sides. Keys are there as the maps
 * take them, and in UTF-8 as indexes do.
 *
 * @param name the tables' names
 * @param outerTexts the keys to probe with
 * @param outerBytes the same
 * @param innerTexts the keys of the inner side
 * @param innerBytes the same
 */
@SuppressWarnings("ArrayRecordComponent") // Columns; never compared.
record TextJoinInput(
    String name,
    String[] outerTexts,
    PackedBytes outerBytes,
    String[] innerTexts,
    PackedBytes innerBytes)
    implements JoinInput<TextJoinInput> {

  /** Makes the input of a join, with the keys in both forms. */
  static TextJoinInput of(String name, String[] outerTexts, String[] innerTexts) {
    return new TextJoinInput(name, outerTexts, packed(outerTexts), innerTexts, packed(innerTexts));
  }

  private static PackedBytes packed(String[] texts) {
    return PackedBytes.of(
        Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList());
  }

  /** Returns the outer side, whose payloads are row numbers. */
  BytesOuterSource outer() {
    long[] rows = new long[outerTexts.length];
    Arrays.setAll(rows, row -> row);
    return BytesOuterSource.of(outerBytes, rows);
  }

  @Override
  public int outerCount() {
    return outerTexts.length;
  }

  @Override
  public int innerCount() {
    return innerTexts.length;
  }

  @Override
  public TextJoinInput head(int outer, int inner) {
    return of(
        name,
        Arrays.copyOf(outerTexts, Math.min(outer, outerTexts.length)),
        Arrays.copyOf(innerTexts, Math.min(inner, innerTexts.length)));
  }

  @Override
  public JoinDigest hashJoin() {
    return HashJoin.join(this);
  }
}
