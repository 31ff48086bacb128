// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * Busy frames without pages, which one thread has claimed. They are given to pages in the order in
 * which they were claimed, or given back. All calls are made under the lock of the frames.
 */
final class Claims {
  private final Replacement replacement;
  private final int[] frames;
  private int count;
  private int taken;

  /**
   * Begins with none.
   *
   * @param wanted most frames
   */
  Claims(Replacement replacement, int wanted) {
    this.replacement = replacement;
    this.frames = new int[wanted];
  }

  /** Tells whether there are as many as are wanted. */
  boolean areEnough() {
    return count == frames.length;
  }

  void add(int frame) {
    frames[count++] = frame;
  }

  /** Tells whether there is one to take. */
  boolean hasNext() {
    return taken < count;
  }

  /** Takes the next one. */
  int next() {
    return frames[taken++];
  }

  /** Gives back those that were not taken. */
  void giveBack() {
    while (hasNext()) {
      replacement.vacate(next());
    }
  }
}
