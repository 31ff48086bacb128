// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.join.IdJoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.SecondaryIndexJoin;
import dev.espalier.prefix.PrefixBPlusTree;
import dev.espalier.sort.BytesSorter;
import dev.espalier.sort.SortOptions;
import java.util.List;

/** A secondary index, in which several rows may have the same key, probed by the join operator. */
final class SecondaryInnerSide implements InnerSide<TextJoinInput> {
  /** How it can be probed. */
  static final List<ProbeMethod> METHODS =
      List.of(ProbeMethod.SINGLE, ProbeMethod.SORTED, ProbeMethod.AUTO);

  private static final byte[] NO_VALUE = {};

  private final BytesIndex entries = PrefixBPlusTree.create();
  private final SecondaryIndex<String> index =
      SecondaryIndex.over(entries, BytesKeyCodec.ofString());

  private SecondaryInnerSide(TextJoinInput input) {
    try (BytesSorter sorter = BytesSorter.create(SortOptions.DEFAULT)) {
      for (int row = 0; row < input.innerCount(); row++) {
        sorter.add(index.entry(input.innerTexts()[row], row), NO_VALUE);
      }
      entries.bulkload(
          sorter.sorted(ProgressListener.NONE), 1.0, sorter.added(), ProgressListener.NONE);
    }
  }

  static Kind<TextJoinInput> kind(List<ProbeMethod> methods) {
    return new Kind<>("SecondaryIndex", methods, SecondaryInnerSide::new);
  }

  @Override
  public long bytes(long heapGrowth) {
    return entries.statistics().usedBytes();
  }

  @Override
  public JoinDigest join(TextJoinInput input, JoinOptions options) {
    try (var join = new SecondaryIndexJoin(input.outer(), index, options.withInOrder(false))) {
      join.open();
      long checksum = 0;
      while (join.next()) {
        IdJoinBatch rows = join.batch();
        for (int row = 0; row < rows.count(); row++) {
          checksum += JoinDigest.hash(rows.outerPayload(row), rows.id(row));
        }
      }
      return new JoinDigest(join.statistics().rowsOut(), checksum);
    }
  }

  @Override
  public void close() {
    entries.close();
  }
}
