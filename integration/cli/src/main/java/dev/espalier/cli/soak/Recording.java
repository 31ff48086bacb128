// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.util.List;
import java.util.function.Predicate;

/**
 * What happened to files, from which images are made of what a crash may leave.
 *
 * @param events what happened, in order
 */
public record Recording(List<FileRecorder.Event> events) {
  /**
   * The four copies of the header of a store in pages of up to 4 KiB are within its first bytes.
   */
  static final int HEADER_BYTES = 4 * 4096;

  /** Returns how many moments there are to crash at. */
  public int moments() {
    return events.size();
  }

  /**
   * Begins to go through what happened.
   *
   * @param isLeftOut tells which forces are held not to have happened
   */
  public Playback play(Predicate<Force> isLeftOut) {
    return new Playback(events, isLeftOut);
  }
}
