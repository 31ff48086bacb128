// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.cli.soak.FileRecorder.Forced;
import dev.espalier.cli.soak.FileRecorder.NamesForced;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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

  /** Returns the last moment to crash at, which is when everything has happened; the first is 0. */
  public int end() {
    return events.size();
  }

  /** Returns which forces there were. */
  public Set<Force> forces() {
    Set<Force> forces = new HashSet<>();
    for (FileRecorder.Event event : events) {
      Force force = forceOf(event);
      if (force != null) {
        forces.add(force);
      }
    }
    return forces;
  }

  /** Returns the force that an event was, null if it was none. */
  static @Nullable Force forceOf(FileRecorder.Event event) {
    return switch (event) {
      case Forced forced -> forced.force();
      case NamesForced forced -> forced.force();
      default -> null;
    };
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
