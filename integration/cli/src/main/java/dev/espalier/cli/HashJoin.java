// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The textbook's hash join, straight over the arrays: what every measured join must agree with. */
final class HashJoin {
  private static final long ABSENT = -1;

  private HashJoin() {}

  static JoinDigest join(TextJoinInput input) {
    Map<String, List<Integer>> inner = new HashMap<>();
    for (int row = 0; row < input.innerTexts().length; row++) {
      inner.computeIfAbsent(input.innerTexts()[row], _ -> new ArrayList<>()).add(row);
    }
    long rows = 0;
    long checksum = 0;
    for (int outerRow = 0; outerRow < input.outerTexts().length; outerRow++) {
      for (int innerRow : inner.getOrDefault(input.outerTexts()[outerRow], List.of())) {
        rows++;
        checksum += JoinDigest.hash(outerRow, innerRow);
      }
    }
    return new JoinDigest(rows, checksum);
  }

  static JoinDigest join(LongJoinInput input) {
    long[] innerKeys = input.innerKeys();
    Long2LongOpenHashMap inner = new Long2LongOpenHashMap(innerKeys.length);
    inner.defaultReturnValue(ABSENT);
    for (int row = 0; row < innerKeys.length; row++) {
      inner.put(innerKeys[row], row);
    }
    long rows = 0;
    long checksum = 0;
    for (int i = 0; i < input.outerKeys().length; i++) {
      long innerRow = inner.get(input.outerKeys()[i]);
      if (innerRow != ABSENT) {
        rows++;
        checksum += JoinDigest.hash(input.outerRows()[i], innerRow);
      }
    }
    return new JoinDigest(rows, checksum);
  }
}
