// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.join.BytesIndexJoin;
import dev.espalier.join.BytesJoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.prefix.PrefixBPlusTree;
import dev.espalier.sort.BytesSorter;
import dev.espalier.sort.SortOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/** An index of byte strings whose values are row numbers, probed by the join operator. */
final class BytesInnerSide implements InnerSide<TextJoinInput> {
  /** As {@link BytesValueCodec#ofLong} writes them. */
  private static final ValueLayout.OfLong BIG_ENDIAN =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final BytesIndex index = PrefixBPlusTree.create();

  private BytesInnerSide(TextJoinInput input) {
    try (BytesSorter sorter = BytesSorter.create(SortOptions.DEFAULT)) {
      byte[] row = new byte[Long.BYTES];
      MemorySegment value = MemorySegment.ofArray(row);
      for (int i = 0; i < input.innerCount(); i++) {
        value.set(BIG_ENDIAN, 0, i);
        sorter.add(input.innerBytes().get(i), value);
      }
      index.bulkload(
          sorter.sorted(ProgressListener.NONE), 1.0, sorter.added(), ProgressListener.NONE);
    }
  }

  static Kind<TextJoinInput> kind(List<ProbeMethod> methods) {
    return new Kind<>("PrefixBPlusTree", methods, BytesInnerSide::new);
  }

  @Override
  public long bytes(long heapGrowth) {
    return index.statistics().usedBytes();
  }

  @Override
  public JoinDigest join(TextJoinInput input, JoinOptions options) {
    try (var join = new BytesIndexJoin(input.outer(), index, options)) {
      join.open();
      long checksum = 0;
      while (join.next()) {
        BytesJoinBatch rows = join.batch();
        for (int row = 0; row < rows.count(); row++) {
          long innerRow = rows.innerValue(row).get(BIG_ENDIAN, 0);
          checksum += JoinDigest.hash(rows.outerPayload(row), innerRow);
        }
      }
      return new JoinDigest(join.statistics().rowsOut(), checksum);
    }
  }

  @Override
  public void close() {
    index.close();
  }
}
