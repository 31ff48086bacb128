// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/**
 * A place on the board, which every store of its setting has.
 *
 * @param setting what the stores hold
 * @param crew the threads
 * @param work what they do
 * @param distribution how entries are drawn
 */
record Cell(Setting setting, Crew crew, Work work, Distribution distribution) {

  /** Returns what is asked of a worker. */
  String request(long millis) {
    return "%s %s %s %d".formatted(work, distribution, crew, millis);
  }

  @Override
  public String toString() {
    return "%s, %s: %s, %s"
        .formatted(setting.label(), crew.label(), work.label(), distribution.label());
  }
}
