// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.join.JoinOptions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A map of the JDK from strings to the rows that have them. */
final class TextMapInnerSide implements InnerSide<TextJoinInput> {
  static final Kind<TextJoinInput> TREE_MAP =
      Kind.onHeap(
          TreeMapInnerSide.KIND.name(), input -> new TextMapInnerSide(new TreeMap<>(), input));

  static final Kind<TextJoinInput> HASH_MAP =
      Kind.onHeap("HashMap", input -> new TextMapInnerSide(new HashMap<>(), input));

  /** For each string how many rows have it, and then these rows. */
  private final Map<String, int[]> rowsOf;

  private TextMapInnerSide(Map<String, int[]> empty, TextJoinInput input) {
    this.rowsOf = empty;
    for (int row = 0; row < input.innerCount(); row++) {
      rowsOf.merge(input.innerTexts()[row], new int[] {1, row}, TextMapInnerSide::append);
    }
    rowsOf.replaceAll((_, rows) -> trimmed(rows));
  }

  /** Adds the one row of the second array to the first, or to a longer one if that is full. */
  static int[] append(int[] rows, int[] one) {
    int count = rows[0] + 1;
    int[] result = count < rows.length ? rows : Arrays.copyOf(rows, 2 * rows.length);
    result[0] = count;
    result[count] = one[1];
    return result;
  }

  private static int[] trimmed(int[] rows) {
    int length = rows[0] + 1;
    return length == rows.length ? rows : Arrays.copyOf(rows, length);
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
        rows += innerRows[0];
        for (int i = 1; i <= innerRows[0]; i++) {
          checksum += JoinDigest.hash(outerRow, innerRows[i]);
        }
      }
    }
    return new JoinDigest(rows, checksum);
  }

  @Override
  public void close() {}
}
