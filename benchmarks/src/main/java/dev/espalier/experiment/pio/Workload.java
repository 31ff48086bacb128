// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;

/** What requests are made in a file, a certain number of them outstanding at once. */
enum Workload {
  /** Reads. */
  READS("reads") {
    @Override
    long run(PageFile file, Outstanding requests, long[] numbers) {
      return requests.psync(file, numbers, false);
    }
  },
  /** Writes. */
  WRITES("writes") {
    @Override
    long run(PageFile file, Outstanding requests, long[] numbers) {
      return requests.psync(file, numbers, true);
    }
  },
  /** At each time as many reads as are outstanding, then as many writes. */
  SEPARATE("mixed, separate") {
    @Override
    long run(PageFile file, Outstanding requests, long[] numbers) {
      return requests.oneByOne(file, numbers, request -> request / requests.level() % 2 == 1);
    }
  },
  /** Each read is followed by a write. */
  INTERLEAVED("mixed, interleaved") {
    @Override
    long run(PageFile file, Outstanding requests, long[] numbers) {
      return requests.oneByOne(file, numbers, request -> request % 2 == 1);
    }
  };

  private final String label;

  Workload(String label) {
    this.label = label;
  }

  /**
   * Makes the requests.
   *
   * @param numbers of the blocks
   * @return how many blocks that were read are not those they should be
   */
  abstract long run(PageFile file, Outstanding requests, long[] numbers);

  @Override
  public String toString() {
    return label;
  }

  /** Tells which requests write. */
  @FunctionalInterface
  interface Writes {
    boolean test(int request);
  }

  /** Memory for the requests that are outstanding at once. */
  static final class Outstanding {
    private final Blocks buffer;
    private final IoBatch together;
    private final IoBatch[] alone;

    Outstanding(int level) {
      buffer = new Blocks(level);
      together = new IoBatch(buffer.memory(), level);
      alone = new IoBatch[level];
      for (int i = 0; i < level; i++) {
        alone[i] = new IoBatch(buffer.memory(), 1);
      }
    }

    int level() {
      return alone.length;
    }

    /** Makes requests of one direction, those of a level by one call. */
    long psync(PageFile file, long[] numbers, boolean write) {
      long mistaken = 0;
      for (int first = 0; first < numbers.length; first += level()) {
        together.clear();
        for (int i = 0; i < level(); i++) {
          prepare(together, i, numbers[first + i], write);
        }
        if (write) {
          file.write(together);
        } else {
          file.read(together);
          for (int i = 0; i < level(); i++) {
            mistaken += buffer.mistaken(i, numbers[first + i], 1);
          }
        }
      }
      return mistaken;
    }

    /**
     * Makes requests of both directions, each started by a call of its own, because a batch has one
     * direction; those of a level are outstanding at once.
     */
    long oneByOne(PageFile file, long[] numbers, Writes writes) {
      long mistaken = 0;
      for (int first = 0; first < numbers.length; first += level()) {
        for (int i = 0; i < level(); i++) {
          boolean write = writes.test(first + i);
          alone[i].clear();
          prepare(alone[i], i, numbers[first + i], write);
          if (write) {
            file.startWrite(alone[i]);
          } else {
            file.startRead(alone[i]);
          }
        }
        for (int i = 0; i < level(); i++) {
          file.finish(alone[i]);
          mistaken += buffer.mistaken(i, numbers[first + i], 1);
        }
      }
      return mistaken;
    }

    private void prepare(IoBatch batch, int place, long number, boolean write) {
      if (write) {
        buffer.label(place, number, 1);
      } else {
        buffer.clear(place, 1);
      }
      batch.add(number * Blocks.BYTES, Blocks.offset(place), Blocks.BYTES);
    }
  }
}
