// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.experiment.Entries;

/** The tree for one thread behind the library's lock, of which readers take none. */
final class OptimisticLockContender implements Contender {
  static final String LABEL = "PbPlusTree, withReadWriteLock()";

  private final LongIndex tree;

  OptimisticLockContender(int entries) {
    tree = PbPlusTree.create(IndexOptions.DEFAULT).withReadWriteLock();
    tree.bulkload(Entries.ascending(entries), 1.0, entries, ProgressListener.NONE);
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
    tree.close();
  }
}
