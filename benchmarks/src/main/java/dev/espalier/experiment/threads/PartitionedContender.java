// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.IndexOptions;
import dev.espalier.PartitionedIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.experiment.Entries;

/** Trees for one thread, each with a range of the keys and a lock. */
final class PartitionedContender implements Contender {
  static final String LABEL = "PbPlusTree, PartitionedIndex";

  private static final int PARTS = 16;

  private final PartitionedIndex tree;

  PartitionedContender(int entries) {
    tree =
        PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, PARTS, bounds(entries));
    tree.bulkload(Entries.ascending(entries), 1.0, entries, ProgressListener.NONE);
  }

  private static long[] bounds(int entries) {
    long[] bounds = new long[PARTS];
    for (int part = 0; part < PARTS; part++) {
      bounds[part] = Entries.key((long) entries * part / PARTS);
    }
    return bounds;
  }

  @Override
  public String label() {
    return LABEL;
  }

  @Override
  public long run(Operations operations, int from, int to) {
    long wrong = 0;
    for (int i = from; i < to; i++) {
      long key = operations.key(i);
      if (operations.isGet(i)) {
        wrong += tree.get(key) == operations.rank(i) ? 0 : 1;
      } else if (operations.isPut(i)) {
        tree.put(key, key);
      } else {
        tree.remove(key);
      }
    }
    return wrong;
  }

  @Override
  public void close() {
    tree.verify();
    tree.close();
  }
}
