// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How much memory the shared pools of a process may take together.
 *
 * @param bytes how many bytes
 * @param isAsked whether the property says so
 */
record PoolMemory(long bytes, boolean isAsked) {
  /** The system property: bytes, with K, M or G if need be, or a part of the memory in percent. */
  static final String PROPERTY = "espalier.pool";

  /** As much as the inner pages of a few files take, and more than threads have in use at once. */
  static final long LEAST_BYTES = 16L << 20;

  /** What part of the memory of a process is taken: the heap and the system's cache need theirs. */
  private static final int PART = 4;

  private static final int MOST_PERCENT = 100;

  private static final Pattern BYTES = Pattern.compile("([0-9]{1,12})([KMG]?)");
  private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?)%");

  /**
   * Returns what a property says, or a quarter of the memory if it is not set; at least {@link
   * #LEAST_BYTES}, and no more than a pool may have.
   *
   * @param property its value, or null
   * @param processBytes bytes of memory that the process may use
   * @throws IllegalArgumentException if the value says nothing
   */
  static PoolMemory of(@Nullable String property, long processBytes) {
    long bytes = property == null ? processBytes / PART : asked(property, processBytes);
    return new PoolMemory(Math.clamp(bytes, LEAST_BYTES, BufferPool.MOST_BYTES), property != null);
  }

  private static long asked(String property, long processBytes) {
    String value = property.strip().toUpperCase(Locale.ROOT);
    Matcher percent = PERCENT.matcher(value);
    if (percent.matches()) {
      double part = new BigDecimal(percent.group(1)).doubleValue() / MOST_PERCENT;
      if (part > 0 && part <= 1) {
        return (long) (part * processBytes);
      }
    }
    Matcher bytes = BYTES.matcher(value);
    if (bytes.matches()) {
      long number = Long.parseLong(bytes.group(1));
      int power = bytes.group(2).isEmpty() ? 0 : 1 + "KMG".indexOf(bytes.group(2));
      long unit = 1L << (10 * power);
      if (number >= 1 && number <= BufferPool.MOST_BYTES / unit) {
        return number * unit;
      }
    }
    throw new IllegalArgumentException(
        "the system property %s is '%s'; it must be a number of bytes from 1 to %d, with K, M or G for"
                .formatted(PROPERTY, property, BufferPool.MOST_BYTES)
            + " 1024, 1024² or 1024³ of them, or a part of the memory up to 100%");
  }
}
