// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryUse;

/**
 * The nodes of one index, as {@link AbstractIndex} knows them: all that is done to the whole of it.
 * What is done to one key stands in the final class of each tree. Each method does what the one of
 * {@link LongIndex} with its name promises.
 */
public interface IndexStructure {

  /** Throws {@link IllegalStateException} if the index is closed. */
  default void checkOpen() {
    if (isClosed()) {
      throw new IllegalStateException("the index is closed");
    }
  }

  /** Returns the exact number of entries, of an index that is open. */
  long size();

  /** Returns the number of entries without a pass, of an index that is open. */
  default long sizeEstimate() {
    return size();
  }

  /** Counts the entries in one pass. */
  default long countEntries() {
    long sum = 0;
    LongCursor cursor = cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      sum += run.count();
    }
    return sum;
  }

  /** Tells whether there are no entries, of an index that is open. */
  default boolean isEmpty() {
    return size() == 0;
  }

  /** Removes all entries. */
  void clear();

  /** Returns a new cursor over an index that is open. */
  LongCursor cursor();

  /** Fills the empty index. */
  void bulkload(LongEntrySource entries, double fillFactor, long total, ProgressListener listener);

  /** Checks every invariant. */
  void verify(ProgressListener listener);

  /** Returns the root, of an index that is open. */
  NodeView rootView();

  /** Returns the memory in which the nodes are. */
  MemoryUse memory();

  /** Makes what has changed safe from a crash, of an index that is open. */
  default void flush() {}

  /** Tells whether {@link #close} was called. */
  boolean isClosed();

  /** Frees the nodes. A second call does nothing. */
  void close();
}
