// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.experiment.Entries;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The tree for one thread behind a lock of the JDK, which readers share. */
final class ReadLockContender implements Contender {
  static final String LABEL = "PbPlusTree, ReentrantReadWriteLock";

  private final PbPlusTree tree = PbPlusTree.create(IndexOptions.DEFAULT);
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  ReadLockContender(int entries) {
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
      wrong += operations.isGet(i) ? get(operations, i) : write(operations, i);
    }
    return wrong;
  }

  private int get(Operations operations, int i) {
    lock.readLock().lock();
    try {
      return tree.get(operations.key(i)) == operations.rank(i) ? 0 : 1;
    } finally {
      lock.readLock().unlock();
    }
  }

  private int write(Operations operations, int i) {
    long key = operations.key(i);
    lock.writeLock().lock();
    try {
      if (operations.isPut(i)) {
        tree.put(key, key);
      } else {
        tree.remove(key);
      }
      return 0;
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public void close() {
    tree.close();
  }
}
