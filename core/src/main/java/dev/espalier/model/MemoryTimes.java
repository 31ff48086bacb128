// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The two latencies of a memory that the cost models use (thesis 3.1): fetching {@code w}
 * independent cache lines takes {@code T1 + (w - 1) * Tnext}.
 *
 * <p>Only their ratio determines the shape of a tree, so any unit may be used. Measured times are
 * in nanoseconds.
 *
 * @param t1 time to fetch one line from memory; positive
 * @param tnext additional time for each further, independent line; positive
 */
public record MemoryTimes(double t1, double tnext) {
  /**
   * Random lines in huge pages on a current server, in nanoseconds: the result of {@link #measure}
   * on the machine on which the defaults were chosen (docs/measurements/node-widths.md).
   */
  public static final MemoryTimes TYPICAL = new MemoryTimes(180, 11);

  /**
   * Checks the times.
   *
   * @throws IllegalArgumentException if one is not positive and finite
   */
  public MemoryTimes {
    checkTime("t1", t1);
    checkTime("tnext", tnext);
  }

  private static void checkTime(String name, double time) {
    if (!(time > 0 && time < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " is " + time + "; it must be positive and finite");
    }
  }

  /**
   * Returns the time to fetch {@code lines} independent lines, of which there must be at least 1.
   */
  public double ofLines(int lines) {
    return t1 + (lines - 1) * tnext;
  }

  /**
   * Returns the times that were saved for this machine by {@link #save}, or {@link #TYPICAL} if
   * there are none. Measures nothing. The file is read once per JVM; it is ignored if it is
   * damaged, unreadable, or of another machine.
   */
  public static MemoryTimes ofThisMachine() {
    return Current.times;
  }

  /**
   * Measures this machine, in nanoseconds, by reading random lines of a region far larger than its
   * caches, up to 1 GiB. Takes one or two seconds. The machine should be idle.
   */
  public static MemoryTimes measure() {
    return MemoryLatency.measure();
  }

  /**
   * Measures this machine as {@link #measure} does, and saves the result as {@link #save} does.
   * Trees whose default geometry depends on the latencies of memory use it from then on, in this
   * program and in later ones.
   *
   * @throws IOException as in {@link #save}
   */
  public static MemoryTimes calibrate() throws IOException {
    MemoryTimes times = measure();
    times.save();
    return times;
  }

  /**
   * Makes these the times of this machine: for this program at once, and for later ones through a
   * small file. The file is in the folder named by the system property {@code espalier.cache}, else
   * in {@code $XDG_CACHE_HOME/espalier}, else in {@code ~/.cache/espalier}.
   *
   * @return the file
   * @throws IOException if the file can't be written; the times are then used by this program only
   */
  public Path save() throws IOException {
    Current.times = this;
    return MemoryTimesFile.ofThisMachine()
        .orElseThrow(() -> CacheFile.noFolder("the memory latencies"))
        .write(this);
  }

  /** A holder, so that the file is not read before it is needed. */
  private static final class Current {
    private static volatile MemoryTimes times =
        MemoryTimesFile.ofThisMachine().flatMap(MemoryTimesFile::read).orElse(TYPICAL);
  }
}
