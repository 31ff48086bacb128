// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;

/** Counts a tree's changes after which a cursor's place may no longer be where it was. */
public final class ChangeCount {
  /**
   * The number of changes so far. It is not volatile, because cursors read it with every step
   * (decision 13).
   */
  public long changes;

  /** Creates a count of zero. */
  public ChangeCount() {}

  /**
   * Counts the closing of the index: to be called when its memory is closed, so that a cursor that
   * sees it and looks for its place again finds the index closed.
   */
  public void countClose() {
    VarHandle.releaseFence();
    changes++;
    // A loop that stays on an entry may have been compiled so that it reads the count only once.
    // Closing shared memory, whichever, takes every thread out of such code for a moment.
    Arena.ofShared().close();
  }
}
