// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.util.List;
import org.jspecify.annotations.Nullable;

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
   * @param leftOut a kind of force that is held not to have happened; null if there is none
   */
  public Playback play(@Nullable ForceKind leftOut) {
    return new Playback(events, leftOut);
  }
}
