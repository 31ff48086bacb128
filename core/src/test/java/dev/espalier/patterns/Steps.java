// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

/** Patterns whose steps take entries one by one: they put, find and remove. */
final class Steps {
  /** Entries that a queue and a set of timers have all the time, if the size allows for them. */
  private static final int DEPTH = 10_000;

  private static final int SCANNED = 10;

  /** Bits of a timer's key that tell timers of the same time apart. */
  private static final int SEQUENCE_BITS = 24;

  private Steps() {}

  static final class Replace extends PatternRun {
    Replace(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAtRandom(size);
    }

    @Override
    public int step() {
      target.put(randomKey(), 1);
      // The sum of one key is that key, and where none follows there is nothing at 0.
      target.remove(target.scan(randomKey(), 1));
      return 1;
    }
  }

  static final class Queue extends PatternRun {
    private long next;

    Queue(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      next = Math.min(DEPTH, size / 2);
      fillAscending((int) next);
    }

    @Override
    public int step() {
      target.put(next, next);
      next++;
      target.remove(target.first());
      return 1;
    }
  }

  static final class Timers extends PatternRun {
    private long sequence;

    Timers(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      int timers = Math.min(DEPTH, size / 2);
      for (int i = 0; i < timers; i++) {
        set(0);
      }
    }

    private void set(long now) {
      long time = now + 1 + random.nextInt(1 << 20);
      target.put((time << SEQUENCE_BITS) + (sequence++ & ((1L << SEQUENCE_BITS) - 1)), 1);
    }

    @Override
    public int step() {
      long due = target.first();
      target.remove(due);
      set(due >> SEQUENCE_BITS);
      return 1;
    }
  }

  static final class Drain extends PatternRun {
    Drain(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAtRandom(size);
    }

    @Override
    public int step() {
      long first = target.first();
      if (first == PatternTarget.NONE) {
        return 0;
      }
      target.remove(first);
      return 1;
    }
  }

  /** The index has the attribute of a row before the row's number. */
  static final class Secondary extends PatternRun {
    private final long[] attributes;

    Secondary(PatternTarget target, int size, long seed) {
      super(target, size, seed);
      attributes = new long[Math.max(1, size / 2)];
    }

    @Override
    public void prepare() {
      for (int row = 0; row < attributes.length; row++) {
        attributes[row] = random.nextInt();
        target.put(key(row), row);
      }
    }

    private long key(int row) {
      return (attributes[row] << Integer.SIZE) + row;
    }

    @Override
    public int step() {
      int row = random.nextInt(attributes.length);
      target.remove(key(row));
      attributes[row] = random.nextInt();
      target.put(key(row), row);
      target.scan(key(row), SCANNED);
      return 1;
    }
  }

  static final class BulkUpdate extends PatternRun {
    private long next;

    BulkUpdate(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAscending(size);
    }

    @Override
    public int step() {
      target.put(next, target.get(next) + 1);
      next = (next + 1) % size;
      return 1;
    }
  }

  static final class Scan extends PatternRun {
    Scan(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAscending(size);
    }

    @Override
    public int step() {
      target.scan(random.nextInt(size), SCANNED);
      return 1;
    }
  }

  static final class ScanBehindDead extends PatternRun {
    ScanBehindDead(PatternTarget target, int size, long seed) {
      super(target, size, seed);
    }

    @Override
    public void prepare() {
      fillAscending(size);
      for (int i = 0; i < size / 2; i++) {
        target.remove(i);
      }
    }

    @Override
    public int step() {
      target.scan(0, SCANNED);
      return 1;
    }
  }
}
