// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Amounts of data, as numbers of entries ({@code 10000000}, {@code 10M}) or as multiples of the
 * last-level cache ({@code 4xLLC}, {@code 1/16xLLC}).
 */
public final class DataSize {
  /** Bytes of a key and its value. */
  public static final int ENTRY_BYTES = 16;

  private static final Pattern ENTRIES = Pattern.compile("([0-9]{1,12})([kKM]?)");
  private static final Pattern CACHES = Pattern.compile("([0-9]{1,6})(?:/([0-9]{1,6}))?xLLC");

  private DataSize() {}

  /**
   * Returns the number of entries that {@code text} stands for on this machine.
   *
   * @throws IllegalArgumentException if it is no amount, or the size of the cache is needed and
   *     unknown
   */
  public static long entries(String text) {
    return entries(text, Machine.lastLevelCacheBytes());
  }

  static long entries(String text, OptionalLong cacheBytes) {
    Matcher plain = ENTRIES.matcher(text);
    if (plain.matches()) {
      return checkPositive(text, Long.parseLong(plain.group(1)) * unit(plain.group(2)));
    }
    Matcher caches = CACHES.matcher(text);
    if (!caches.matches()) {
      throw new IllegalArgumentException(
          "size is '" + text + "'; it must be like 10000000, 10M, 4xLLC or 1/16xLLC");
    }
    long divisor = caches.group(2) == null ? 1 : Long.parseLong(caches.group(2));
    long bytes =
        cacheBytes.orElseThrow(
            () ->
                new IllegalArgumentException(
                    "size is '" + text + "', but this system does not tell its cache sizes"));
    long scaled = bytes * Long.parseLong(caches.group(1));
    return checkPositive(text, divisor == 0 ? 0 : scaled / divisor / ENTRY_BYTES);
  }

  private static long unit(String suffix) {
    return switch (suffix) {
      case "" -> 1;
      case "M" -> 1_000_000;
      default -> 1_000;
    };
  }

  private static long checkPositive(String text, long entries) {
    if (entries <= 0) {
      throw new IllegalArgumentException("size is '" + text + "', which is not even one entry");
    }
    return entries;
  }
}
