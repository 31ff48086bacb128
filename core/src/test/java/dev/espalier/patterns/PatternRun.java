// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import java.util.SplittableRandom;

/** A pattern at work on a target that was empty. The same seed makes the same calls. */
public abstract class PatternRun {
  final PatternTarget target;

  /** Entries that the pattern is about: those it puts, or those it begins with. */
  final int size;

  final SplittableRandom random;

  PatternRun(PatternTarget target, int size, long seed) {
    this.target = target;
    this.size = size;
    this.random = new SplittableRandom(seed);
  }

  /** Does what has to be there before the first step, and is no part of the pattern. */
  public void prepare() {}

  /** Does the next step; returns how many operations it stands for, 0 if nothing is left to do. */
  public abstract int step();

  /** Puts entries in no order. */
  final void fillAtRandom(int count) {
    for (int i = 0; i < count; i++) {
      target.put(randomKey(), i);
    }
  }

  /** Puts the keys from 0 on. */
  final void fillAscending(int count) {
    for (int i = 0; i < count; i++) {
      target.put(i, i);
    }
  }

  /** Returns a key out of so many that hardly any comes twice. */
  final long randomKey() {
    return random.nextLong() >> 8;
  }
}
