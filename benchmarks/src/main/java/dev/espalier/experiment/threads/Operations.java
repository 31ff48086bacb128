// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.experiment.Entries;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;

/**
 * What the threads are to do, drawn beforehand: each operation has a random rank, and for a write
 * the key next to that of the rank, so that every key that was loaded stays.
 */
final class Operations {
  private static final byte GET = 0;
  private static final byte PUT = 1;
  private static final byte REMOVE = 2;

  private static final int SEED = 11;

  private final int[] ranks;
  private final byte[] kinds;

  /** Draws operations; half of them write, and half of these remove, if there are to be writes. */
  Operations(int count, int entries, boolean writes) {
    this(count, writes, random -> random.nextInt(entries));
  }

  private Operations(int[] ranks, byte[] kinds) {
    this.ranks = ranks;
    this.kinds = kinds;
  }

  private Operations(int count, boolean writes, ToIntFunction<SplittableRandom> rank) {
    this.ranks = new int[count];
    this.kinds = new byte[count];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < count; i++) {
      ranks[i] = rank.applyAsInt(random);
      int choice = random.nextInt(4);
      kinds[i] = !writes || choice < 2 ? GET : choice == 2 ? PUT : REMOVE;
    }
  }

  /**
   * Draws operations half of which write, where some ranks are drawn far more often than others.
   */
  static Operations skewed(int count, int entries) {
    return new Operations(count, true, new ZipfRanks(entries)::draw);
  }

  /** Inserts a key beside every one that was loaded, in random order. */
  static Operations insertions(int entries) {
    int[] ranks = new int[entries];
    byte[] kinds = new byte[entries];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < entries; i++) {
      int other = random.nextInt(i + 1);
      ranks[i] = ranks[other];
      ranks[other] = i;
      kinds[i] = PUT;
    }
    return new Operations(ranks, kinds);
  }

  int count() {
    return ranks.length;
  }

  int rank(int i) {
    return ranks[i];
  }

  boolean isGet(int i) {
    return kinds[i] == GET;
  }

  boolean isPut(int i) {
    return kinds[i] == PUT;
  }

  /** Returns the key to look up, insert or remove. */
  long key(int i) {
    return Entries.key(ranks[i]) + (isGet(i) ? 0 : 1);
  }
}
