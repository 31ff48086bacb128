// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.join.JoinOptions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A map of the JDK from strings to the rows that have them. */
final class TextMapInnerSide implements InnerSide<TextJoinInput> {
  static final Kind<TextJoinInput> TREE_MAP =
      new Kind<>(
          TreeMapInnerSide.KIND.name(),
          List.of(ProbeMethod.SINGLE),
          input -> new TextMapInnerSide(new TreeMap<>(), input));

  static final Kind<TextJoinInput> HASH_MAP =
      new Kind<>(
          "HashMap",
          List.of(ProbeMethod.SINGLE),
          input -> new TextMapInnerSide(new HashMap<>(), input));

  private final Map<String, int[]> rowsOf;

  private TextMapInnerSide(Map<String, int[]> empty, TextJoinInput input) {
    this.rowsOf = empty;
    for (int row = 0; row < input.innerCount(); row++) {
      rowsOf.merge(input.innerTexts()[row], new int[] {row}, TextMapInnerSide::append);
    }
  }

  private static int[] append(int[] rows, int[] one) {
    int[] longer = Arrays.copyOf(rows, rows.length + 1);
    longer[rows.length] = one[0];
    return longer;
  }

  @Override
  public long bytes(long heapGrowth) {
    return heapGrowth;
  }

  @Override
  public JoinDigest join(TextJoinInput input, JoinOptions options) {
    long rows = 0;
    long checksum = 0;
    for (int outerRow = 0; outerRow < input.outerCount(); outerRow++) {
      int[] innerRows = rowsOf.get(input.outerTexts()[outerRow]);
      if (innerRows != null) {
        rows += innerRows.length;
        for (int innerRow : innerRows) {
          checksum += JoinDigest.hash(outerRow, innerRow);
        }
      }
    }
    return new JoinDigest(rows, checksum);
  }

  @Override
  public void close() {}
}
