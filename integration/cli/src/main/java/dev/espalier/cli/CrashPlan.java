// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a crash test writes: steps, numbered from 1, each a function of the seed and its number
 * alone. A step is up to three single writes to keys of their own, so that they may be made twice,
 * and then a batch over both indexes.
 */
record CrashPlan(long seed) {
  /** Indexes that are written together. */
  static final int INDEXES = 2;

  /** Keys that are written in each index. They do not fit into the writer's pool. */
  static final int KEYS = 1 << 15;

  /** What is between two keys. */
  private static final long STRIDE = 1_000_003;

  /** The key whose value, in every index, is the number of the last batch. */
  static final long MARKER = -1;

  private static final int MOST_SINGLES = 3;
  private static final int MOST_PAIRS = 12;

  /** Steps between two commits and between two checkpoints, in the mean. */
  private static final int COMMIT = 8;

  private static final int CHECKPOINT = 500;

  /**
   * One write.
   *
   * @param index 0 or 1
   * @param slot which of the keys, from 0
   * @param value what is stored; not read if the key is deleted
   */
  record Write(int index, int slot, boolean isDelete, long value) {
    long key() {
      return slot * STRIDE;
    }
  }

  /** What a step does: writes one by one, then a batch, then perhaps more. */
  record Step(
      List<Write> singles, List<Write> batch, boolean endsInCommit, boolean endsInCheckpoint) {}

  Step step(long number) {
    SplittableRandom random = new SplittableRandom(seed ^ (number * 0x9E3779B97F4A7C15L));
    List<Write> singles = new ArrayList<>();
    int first = random.nextInt(KEYS);
    int count = random.nextInt(MOST_SINGLES + 1);
    for (int i = 0; i < count; i++) {
      singles.add(write(random.nextInt(INDEXES), (first + i) % KEYS, random));
    }
    List<Write> batch = new ArrayList<>();
    int pairs = 1 + random.nextInt(MOST_PAIRS);
    for (int i = 0; i < pairs; i++) {
      Write write = write(0, random.nextInt(KEYS), random);
      batch.add(write);
      batch.add(new Write(1, write.slot(), write.isDelete(), ~write.value()));
    }
    return new Step(singles, batch, random.nextInt(COMMIT) == 0, random.nextInt(CHECKPOINT) == 0);
  }

  private static Write write(int index, int slot, SplittableRandom random) {
    return new Write(index, slot, random.nextInt(4) == 0, random.nextLong() >>> 1);
  }

  /** Returns which key this is, or -1 if the plan never writes it. */
  static int slot(long key) {
    return key < 0 || key % STRIDE != 0 || key / STRIDE >= KEYS ? -1 : (int) (key / STRIDE);
  }
}
