// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.join.JoinOptions;
import dev.espalier.join.OuterSource;
import java.util.TreeMap;

/** The JDK's ordered map, boxed keys and values included. */
final class TreeMapInnerSide implements InnerSide<LongJoinInput> {
  static final Kind<LongJoinInput> KIND =
      Kind.onHeap("TreeMap", input -> new TreeMapInnerSide(input.innerKeys()));

  private final TreeMap<Long, Long> map = new TreeMap<>();

  private TreeMapInnerSide(long[] keys) {
    for (int row = 0; row < keys.length; row++) {
      map.put(keys[row], (long) row);
    }
  }

  @Override
  public long bytes(long heapGrowth) {
    return heapGrowth;
  }

  @Override
  public JoinDigest join(LongJoinInput input, JoinOptions options) {
    OuterSource outer = input.outer();
    long[] keys = new long[BATCH_SIZE];
    long[] payloads = new long[BATCH_SIZE];
    long rows = 0;
    long checksum = 0;
    outer.open();
    for (int count = outer.nextBatch(keys, payloads);
        count > 0;
        count = outer.nextBatch(keys, payloads)) {
      for (int i = 0; i < count; i++) {
        Long innerRow = map.get(keys[i]);
        if (innerRow != null) {
          rows++;
          checksum += JoinDigest.hash(payloads[i], innerRow);
        }
      }
    }
    outer.close();
    return new JoinDigest(rows, checksum);
  }

  @Override
  public void close() {}
}
