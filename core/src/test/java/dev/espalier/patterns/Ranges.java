// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

/** Patterns from which ranges go. */
final class Ranges {
  private Ranges() {}

  /** Events of a window, a little out of order; a tenth of the window expires at a time. */
  static final class Window extends PatternRun {
    private static final int OUT_OF_ORDER = 16;

    private final int window;
    private long now;
    private long oldest;

    Window(PatternTarget target, int size, long seed) {
      super(target, size, seed);
      window = Math.max(10, size / 4);
    }

    @Override
    public void prepare() {
      while (now < window) {
        putNext();
      }
    }

    private void putNext() {
      // The last bits keep events of the same time apart.
      target.put((now + random.nextInt(OUT_OF_ORDER)) * OUT_OF_ORDER + now % OUT_OF_ORDER, now);
      now++;
    }

    @Override
    public int step() {
      putNext();
      if (now - oldest >= window + window / 10) {
        oldest = now - window;
        target.removeRange(0, oldest * OUT_OF_ORDER);
      }
      return 1;
    }
  }

  static final class Logs extends PatternRun {
    private static final int LOGS = 100;

    /** What stays when a log is cut off, and goes when it is the next time. */
    private static final int KEPT = 100;

    private long next;

    Logs(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public int step() {
      long log = next % LOGS << Integer.SIZE;
      long offset = next / LOGS;
      next++;
      target.put(log + offset, offset);
      if (offset > KEPT && offset % KEPT == next % KEPT) {
        target.removeRange(log, log + offset - KEPT);
      }
      return 1;
    }
  }

  static final class Refill extends PatternRun {
    private static final int BLOCK = 1000;

    Refill(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAscending(size);
    }

    @Override
    public int step() {
      int block = Math.min(BLOCK, size);
      int from = random.nextInt(size - block + 1);
      target.removeRange(from, from + block);
      for (int key = from; key < from + block; key++) {
        target.put(key, key);
      }
      return block;
    }
  }

  static final class FromTheLeft extends PatternRun {
    private static final int MOST = 10_000;

    private int removed;

    FromTheLeft(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAscending(size);
    }

    @Override
    public int step() {
      int count = Math.min(Math.min(MOST, Math.max(1, size / 8)), size - removed);
      target.removeRange(removed, removed + count);
      removed += count;
      return count;
    }
  }
}
