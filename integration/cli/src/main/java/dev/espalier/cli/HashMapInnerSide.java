// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.join.JoinOptions;
import dev.espalier.join.OuterSource;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/** Fastutil's hash map of primitive longs: no order, one cache miss per probe. */
final class HashMapInnerSide implements InnerSide<LongJoinInput> {
  static final Kind<LongJoinInput> KIND =
      Kind.onHeap("Long2LongOpenHashMap", input -> new HashMapInnerSide(input.innerKeys()));

  /** No row has this number. */
  private static final long ABSENT = -1;

  private final Long2LongOpenHashMap map;

  private HashMapInnerSide(long[] keys) {
    map = new Long2LongOpenHashMap(keys.length);
    map.defaultReturnValue(ABSENT);
    for (int row = 0; row < keys.length; row++) {
      map.put(keys[row], row);
    }
  }

  @Override
  public long bytes(long heapGrowth) {
    return heapGrowth;
  }

  /** As {@link TreeMapInnerSide#join}, but without boxes. */
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
        long innerRow = map.get(keys[i]);
        if (innerRow != ABSENT) {
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
