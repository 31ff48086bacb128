// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.Torn;
import java.util.Arrays;

/**
 * Merges the head tree and runs into a new run, and makes the fences above it; installs nothing.
 */
final class FdMerge {
  private final FdStructure tree;
  private final PageStore store;

  /** The head tree and the runs, the newest first. */
  private RunReader[] readers = {};

  private final RunReader fences;

  /** By number of run; the first writes the leaves of the head tree. */
  private RunWriter[] writers = {};

  FdMerge(FdStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.fences = new RunReader(tree);
  }

  private void prepare(int deepest) {
    int had = readers.length;
    if (deepest >= had) {
      readers = Arrays.copyOf(readers, deepest + 1);
      writers = Arrays.copyOf(writers, deepest + 1);
      for (int i = had; i <= deepest; i++) {
        readers[i] = new RunReader(tree);
        writers[i] = new RunWriter(store, tree.layout);
      }
    }
  }

  /**
   * Merges the head tree and so many runs into what is to become run {@code target}. Returns the
   * head tree's leaves, as a run, and the runs from 1 to the target; none if no entry is left.
   *
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  Run[] into(int target, int sources) {
    boolean isAll = sources == tree.depth;
    long most = checkedMessages(0, tree.meta[FdStructure.HEAD], store.pagesInUse());
    for (int k = 1; k <= sources; k++) {
      most += checkedMessages(k, tree.runs[k].messages(), tree.runs[k].pages());
    }
    Run next = isAll ? Run.EMPTY : tree.runs[sources + 1];
    checkedMessages(sources + 1, next.messages(), next.pages());
    most += next.pages();
    prepare(Math.max(target, sources));
    try {
      open(target, most);
      merge(sources, isAll, writers[target]);
      return finish(isAll && writers[target].isEmpty() ? 0 : target);
    } catch (RuntimeException | Error failed) {
      discard(failed);
      throw failed;
    }
  }

  /**
   * Returns how many messages a run has, 0 standing for the head tree. Where the root lies, it may
   * say any number, for which the file would grow without an end.
   */
  private long checkedMessages(int run, long messages, int pages) {
    long most = (long) pages * tree.layout.capacity;
    if (pages < 0 || pages > store.pagesInUse() || messages < 0 || messages > most) {
      throw Torn.torn(
          "run " + run + " says that it has " + messages + " messages in " + pages + " pages");
    }
    return messages;
  }

  /** Takes extents for a run of at most so many elements, and for all above it. */
  private void open(int target, long most) {
    long elements = most;
    for (int k = target; k >= 0; k--) {
      int count = (int) Math.max(1, Math.ceilDiv(elements, (long) tree.layout.capacity));
      if (k == 0 && count > tree.rootLayout.capacity) {
        throw new MemoryLimitException("the head tree has no room for " + elements + " fences");
      }
      writers[k].open(tree.allocate(count), count);
      elements = count;
    }
  }

  /** Writes the fences of the runs above one that is written, and ends them all. */
  private Run[] finish(int target) {
    for (int k = target + 1; k < writers.length; k++) {
      writers[k].discard();
    }
    Run[] written = new Run[target + 1];
    for (int k = target; k >= 0; k--) {
      written[k] = writers[k].finish(k == 0);
      tree.written += written[k].pages();
      if (k > 0) {
        for (int i = 0; i < written[k].pages(); i++) {
          writers[k - 1].append(writers[k].firstKey(i), i, RunPage.FENCE);
        }
      }
    }
    return written;
  }

  private void merge(int sources, boolean isAll, RunWriter writer) {
    readers[0].openHead();
    for (int k = 1; k <= sources; k++) {
      readers[k].open(tree.runs[k]);
    }
    fences.open(isAll ? Run.EMPTY : tree.runs[sources]);
    boolean hasFence = fences.findNext(true);
    boolean[] has = new boolean[sources + 1];
    for (int k = 0; k <= sources; k++) {
      has[k] = readers[k].findNext(false);
    }
    while (true) {
      int newest = -1;
      long key = 0;
      for (int k = 0; k <= sources; k++) {
        if (has[k] && (newest < 0 || readers[k].key(true) < key)) {
          newest = k;
          key = readers[k].key(true);
        }
      }
      while (hasFence && (newest < 0 || fences.key(true) <= key)) {
        writer.append(fences.key(true), fences.value(true), RunPage.FENCE);
        fences.pass(true);
        hasFence = fences.findNext(true);
      }
      if (newest < 0) {
        return;
      }
      boolean isPut = readers[newest].isPut(true);
      if (isPut || !isAll) {
        int type = isPut ? RunPage.PUT : RunPage.TOMBSTONE;
        writer.append(key, readers[newest].value(true), type);
      }
      for (int k = newest; k <= sources; k++) {
        if (has[k] && readers[k].key(true) == key) {
          readers[k].pass(true);
          has[k] = readers[k].findNext(false);
        }
      }
    }
  }

  /** Writes the runs of a tree whose store has nothing but its root and an empty head tree. */
  Run[] load(BulkloadInput input) {
    prepare(1);
    RunWriter writer = writers[1];
    writer.openGrowing();
    while (input.next()) {
      writer.append(input.key(), input.value(), RunPage.PUT);
    }
    Run loaded = writer.finish(false);
    tree.refresh();
    int target = Math.max(1, tree.fitting(loaded.messages()));
    prepare(target);
    writers[1] = writers[target];
    writers[target] = writer;
    open(target - 1, loaded.pages());
    return finish(target);
  }

  /** Returns the first key of a leaf of the head tree that was written. */
  long firstKeyOfLeaf(int number) {
    return writers[0].firstKey(number);
  }

  /** Gives back what was written and can't be installed; a second failure is added to the first. */
  void discard(Throwable failed) {
    for (RunWriter writer : writers) {
      try {
        writer.discard();
      } catch (RuntimeException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
    }
  }

  /** Forgets what was written: it was installed, or the store has taken back all pages. */
  void keep() {
    for (RunWriter writer : writers) {
      writer.keep();
    }
  }
}
