// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Arrays;
import java.util.Map;

/**
 * The files of a store that is sound, by their names.
 *
 * @param files what they hold
 * @param before what they held before the last step, all of which was safe then
 * @param pageBytes the bytes of a page
 */
record SoundFiles(Map<String, byte[]> files, Map<String, byte[]> before, int pageBytes) {
  /**
   * Bytes before and after those that the last step has changed in a file of the log, which may be
   * of its records as well: they were the same by chance, such as zeros of a number.
   */
  private static final int MARGIN = 64;

  /** Tells whether a damaged file differs only where the last step has written nothing. */
  boolean isOlderThanLastStep(String name, byte[] damaged) {
    byte[] sound = files.get(name);
    byte[] old = before.get(name);
    if (sound == null
        || old == null
        || damaged.length > sound.length
        || old.length != sound.length) {
      return false;
    }
    int first = Arrays.mismatch(sound, damaged);
    int last = sound.length - 1;
    while (damaged.length == sound.length && first >= 0 && sound[last] == damaged[last]) {
      last--;
    }
    return first < 0 || isUnchanged(name, old, sound, first, last);
  }

  private boolean isUnchanged(String name, byte[] old, byte[] sound, int first, int last) {
    if (!name.contains(".log")) {
      int from = first / pageBytes * pageBytes;
      int to = Math.min((last / pageBytes + 1) * pageBytes, sound.length);
      return Arrays.equals(old, from, to, sound, from, to);
    }
    // Records are appended, so that what is between two changes is new as well.
    int changed = Arrays.mismatch(old, sound);
    if (changed < 0) {
      return true;
    }
    int end = sound.length;
    while (old[end - 1] == sound[end - 1]) {
      end--;
    }
    return last < changed - MARGIN || first >= end + MARGIN;
  }
}
