// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which part a run takes of what would be too much for each. Its seed is the day of the commit, and
 * as many consecutive days as there are parts take everything once.
 *
 * @param seed the day, counted from 1970
 * @param parts of which one is taken; with one, that is everything
 */
record Draw(long seed, int parts) {
  /** What Maven asks for; where it does not run the tests, everything. */
  static final Draw OF_RUN = ofRun();

  private static volatile Draw current = OF_RUN;

  /** Returns that of the run, or the one that {@link #instead} has put in its place. */
  static Draw current() {
    return current;
  }

  /** Runs something with this draw instead of that of the run. */
  void instead(Runnable what) {
    Draw before = current;
    current = this;
    try {
      what.run();
    } finally {
      current = before;
    }
  }

  private static Draw ofRun() {
    int parts = Integer.getInteger("espalier.test.draw", 1);
    if (parts == 1) {
      return new Draw(0, 1);
    }
    String given = System.getProperty("espalier.test.seed", "");
    long seed = given.isEmpty() ? dayOfCommit() : Long.parseLong(given);
    System.out.println(
        "Drawn: one part in " + parts + " of shapes; -Dseed=" + seed + " repeats it");
    return new Draw(seed, parts);
  }

  /** Returns the day of the last commit, or today where there is no repository. */
  private static long dayOfCommit() {
    try {
      Process git =
          new ProcessBuilder("git", "log", "-1", "--format=%cs")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String date = new String(git.getInputStream().readAllBytes(), UTF_8).strip();
      return (date.isEmpty() ? LocalDate.now() : LocalDate.parse(date)).toEpochDay();
    } catch (IOException e) {
      return LocalDate.now().toEpochDay();
    }
  }

  /**
   * Tells whether one of many is taken.
   *
   * @param from names the many; what has another name is drawn apart, so that a shape that one test
   *     leaves out is in another
   */
  boolean takes(String from, long index) {
    return Math.floorMod(index + from.hashCode() + seed, (long) parts) == 0;
  }

  /** Returns those that are taken, in their order. */
  <T> List<T> of(String from, List<T> all) {
    return IntStream.range(0, all.size()).filter(i -> takes(from, i)).mapToObj(all::get).toList();
  }
}
