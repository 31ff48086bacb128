// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Properties;

/**
 * How long experiments take, as they took on a virtual machine with two cores: the resource {@code
 * durations.properties}, in seconds. {@code --all} writes such a file, from which it is updated.
 */
final class Durations {
  private static final String RESOURCE = "durations.properties";
  private static final int MINUTE = 60;

  private final Properties seconds = new Properties();

  Durations() {
    try (InputStream in = Durations.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + RESOURCE);
      }
      seconds.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how long an experiment takes, or nothing if that was not measured. */
  String of(String experiment, boolean quick) {
    String value = seconds.getProperty(key(experiment, quick));
    return value == null ? "" : text(Duration.ofSeconds(Long.parseLong(value)));
  }

  /** Returns how long an experiment takes, in seconds, or 0 if that was not measured. */
  long seconds(String experiment, boolean quick) {
    return Long.parseLong(seconds.getProperty(key(experiment, quick), "0"));
  }

  /** Returns the line of a file of durations. */
  static String line(Result result) {
    long whole = Math.max(1, Math.round(result.duration().toMillis() / 1e3));
    return key(result.description().name(), result.circumstances().quick()) + "=" + whole + "\n";
  }

  private static String key(String experiment, boolean quick) {
    return experiment + (quick ? ".quick" : ".full");
  }

  /** Returns a duration as one says it: seconds up to two minutes, then minutes. */
  static String text(Duration duration) {
    long whole = Math.max(1, Math.round(duration.toMillis() / 1e3));
    return whole < 2 * MINUTE ? whole + " s" : Math.round((double) whole / MINUTE) + " min";
  }
}
