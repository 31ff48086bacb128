// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/** Keeps the ranges that readers have found dead, unless what is there has changed meanwhile. */
public interface DeadKeeper {
  /** Keeps nothing. */
  DeadKeeper NONE =
      new DeadKeeper() {
        @Override
        public long now() {
          return 0;
        }

        @Override
        public void add(long since, long first, long last) {}
      };

  /** Returns a number that tells what a reader that begins now will see. */
  long now();

  /**
   * Keeps a range if it is as dead as when a reader went through it.
   *
   * @param since what {@link #now} returned before it did
   */
  void add(long since, long first, long last);
}
