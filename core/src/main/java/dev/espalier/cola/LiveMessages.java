// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongRun;

/** The entries of a deamortized COLA, block by block. */
final class LiveMessages extends MessageStream {
  private static final int BLOCK = 256;

  private final DeamortizedCursor cursor;
  private final LongRun run = new LongRun();
  private int taken;
  private boolean atEnd;

  /** How many entries may still come. */
  private long left = Long.MAX_VALUE;

  LiveMessages(DeamortizedStructure tree) {
    super(BLOCK);
    this.cursor = tree.cursor(tree.dead);
  }

  /** Lets so many entries come from now on. */
  void stopAfter(long count) {
    left = count;
  }

  @Override
  boolean refill() {
    if (left == 0) {
      return begin(0, true);
    }
    if (!atEnd && taken == run.count()) {
      atEnd = !cursor.nextRun(run);
      taken = 0;
    }
    int count = atEnd ? 0 : (int) Math.min(left, Math.min(BLOCK, run.count() - taken));
    for (int i = 0; i < count; i++) {
      keys[i] = run.key(taken + i);
      values[i] = run.value(taken + i);
    }
    taken += count;
    left -= count;
    return begin(count, true);
  }
}
