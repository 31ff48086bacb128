// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;

/** An open index of a store, whatever its keys are. */
interface OpenIndex {
  /** Returns the number by which the log knows the index. */
  int id();

  /** Returns where its pages are. */
  SlotPageStore pages();

  /** Returns the locks that keep its writers apart, and its readers unless its tree does. */
  IndexLocks locks();

  /** Tells whether this is an index of the store of a writer. */
  boolean isOf(StoreWriter other);

  /** Returns what to say of calls that fail. */
  IndexFailures failures();

  /** Closes the tree while nobody writes, and lets go of its pages; the store goes on. */
  void closeTree();

  /** Checks every invariant of the tree, while nobody writes. */
  void verifyTree(ProgressListener listener);
}
