// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The two figures of a memory that cost models are fed with (thesis 3.1): fetching {@code w} cache
 * lines, none of which waits for another, takes {@code T1 + (w - 1) * Tnext}.
 *
 * <p>Only their ratio decides on the shape of a tree, so the unit is the caller's; measured figures
 * are in nanoseconds.
 *
 * @param t1 time to fetch a line from memory
 * @param tnext time that each further, independent line adds
 */
public record MemoryTimes(double t1, double tnext) {
  /**
   * Random lines in huge pages, on a server of today; in nanoseconds. What {@link #measure} gave
   * where the defaults were measured: docs/measurements/node-widths.md.
   */
  public static final MemoryTimes TYPICAL = new MemoryTimes(180, 11);

  /** Checks the parts. */
  public MemoryTimes {
    checkTime("t1", t1);
    checkTime("tnext", tnext);
  }

  private static void checkTime(String name, double time) {
    if (!(time > 0 && time < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " is " + time + "; it must be above 0 and finite");
    }
  }

  /** Returns the time to fetch {@code lines} independent lines, one at least. */
  public double ofLines(int lines) {
    return t1 + (lines - 1) * tnext;
  }

  /**
   * Returns what was measured on this machine and saved, or else {@link #TYPICAL}. Measures
   * nothing; the file is read once per JVM. One that is absent, damaged, unreadable or another
   * machine's counts as none.
   */
  public static MemoryTimes ofThisMachine() {
    return Current.times;
  }

  /**
   * Measures this machine, in nanoseconds: reads random lines of a region far larger than its
   * caches, up to 1 GiB, for one or two seconds. Meant for a machine that does nothing else.
   */
  public static MemoryTimes measure() {
    return MemoryLatency.measure();
  }

  /**
   * Measures this machine and saves the figures. Indexes made from now on, in this program or a
   * later one, take their default shape from them.
   *
   * @throws IOException as {@link #save}
   */
  public static MemoryTimes calibrate() throws IOException {
    MemoryTimes times = measure();
    times.save();
    return times;
  }

  /**
   * Makes these the figures of this machine: in this program at once, in later ones through a small
   * file, which is returned. It lies in the folder that the system property {@code espalier.cache}
   * names, else in {@code $XDG_CACHE_HOME/espalier}, else in {@code ~/.cache/espalier}.
   *
   * @throws IOException if the file can't be written; the figures then hold for this program only
   */
  public Path save() throws IOException {
    Current.times = this;
    return MemoryTimesFile.ofThisMachine()
        .orElseThrow(
            () ->
                new IOException(
                    "there is no folder for caches; name one as -D"
                        + MemoryTimesFile.FOLDER_PROPERTY))
        .write(this);
  }

  /** A holder, so that the file is not read before it is needed. */
  private static final class Current {
    private static volatile MemoryTimes times =
        MemoryTimesFile.ofThisMachine().flatMap(MemoryTimesFile::read).orElse(TYPICAL);
  }
}
