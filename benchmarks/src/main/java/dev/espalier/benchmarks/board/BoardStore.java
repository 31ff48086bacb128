// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/** A store under measurement, empty at first, as one {@link Setting} has it. */
public interface BoardStore extends AutoCloseable {

  /**
   * Returns what one of some threads calls; the threads of one crew may call theirs at once.
   *
   * @param threads how many there are: a store may know a shorter way for one
   */
  BoardSession session(int threads);

  /** Frees all that the store holds: memory, files. */
  @Override
  void close();
}
