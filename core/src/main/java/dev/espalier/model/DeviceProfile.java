// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The measured times of a device, from which the proportions of a PIO B-tree are chosen (PIO 3.6).
 *
 * @param device what the device is called, and what moves the bytes
 * @param pages the times of the device, for each page size that is considered; the sizes ascend
 */
public record DeviceProfile(String device, List<PageTimes> pages) {
  private static final String DEVICE = "device";
  private static final String MACHINE = "machine";
  private static final String SIZES = "page.sizes";

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if there are no times, or the sizes do not ascend
   */
  public DeviceProfile {
    pages = List.copyOf(pages);
    if (pages.isEmpty()) {
      throw new IllegalArgumentException("pages is empty; there must be times for one size");
    }
    for (int i = 1; i < pages.size(); i++) {
      if (pages.get(i).pageBytes() <= pages.get(i - 1).pageBytes()) {
        throw new IllegalArgumentException("pages do not ascend by size: " + pages);
      }
    }
  }

  /**
   * Returns the times for pages of one size. For a size that was not measured, returns those of the
   * next smaller size that was, or of the smallest one, scaled in proportion to the bytes.
   */
  public PageTimes times(int pageBytes) {
    PageTimes smaller = pages.getFirst();
    for (PageTimes times : pages) {
      if (times.pageBytes() <= pageBytes) {
        smaller = times;
      }
    }
    double factor = (double) pageBytes / smaller.pageBytes();
    return new PageTimes(
        pageBytes,
        smaller.reads().stream().map(time -> time * factor).toList(),
        smaller.writes().stream().map(time -> time * factor).toList());
  }

  // ---------------------------------------------------------------- file

  /**
   * Returns the profile that {@link #save} has kept for this machine and a device, or an empty
   * result if there is none, or if the file is damaged, unreadable, or of another machine or
   * device.
   */
  public static Optional<DeviceProfile> saved(String device) {
    return CacheFile.folder()
        .flatMap(folder -> file(folder, device).read())
        .filter(properties -> device.equals(properties.getProperty(DEVICE)))
        .filter(properties -> CacheFile.machineName().equals(properties.getProperty(MACHINE)))
        .flatMap(DeviceProfile::parse);
  }

  private static CacheFile file(Path folder, String device) {
    String key = CacheFile.machineName() + " " + device;
    return new CacheFile(
        folder.resolve("device-times-" + Integer.toHexString(key.hashCode()) + ".properties"));
  }

  private static Optional<DeviceProfile> parse(Properties properties) {
    try {
      return Optional.of(
          new DeviceProfile(
              properties.getProperty(DEVICE, ""),
              words(properties, SIZES).map(size -> pages(properties, size)).toList()));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // Damaged: it will be measured again.
    }
  }

  private static PageTimes pages(Properties properties, String size) {
    return new PageTimes(
        Integer.parseInt(size),
        words(properties, reads(size)).map(Double::valueOf).toList(),
        words(properties, writes(size)).map(Double::valueOf).toList());
  }

  private static Stream<String> words(Properties properties, String name) {
    return Arrays.stream(properties.getProperty(name, "").split(" ", -1));
  }

  private static String reads(String size) {
    return "reads." + size + ".nanos";
  }

  private static String writes(String size) {
    return "writes." + size + ".nanos";
  }

  /**
   * Keeps this profile for later programs on this machine, in a small file. The file is in the
   * folder named by the system property {@code espalier.cache}, else in {@code
   * $XDG_CACHE_HOME/espalier}, else in {@code ~/.cache/espalier}.
   *
   * @return the file
   * @throws IOException if the file can't be written
   */
  public Path save() throws IOException {
    Path folder = CacheFile.folder().orElseThrow(() -> CacheFile.noFolder("the times of a device"));
    Properties properties = new Properties();
    properties.setProperty(MACHINE, CacheFile.machineName());
    properties.setProperty(DEVICE, device);
    properties.setProperty(
        SIZES,
        pages.stream().map(times -> "" + times.pageBytes()).collect(Collectors.joining(" ")));
    for (PageTimes times : pages) {
      String size = "" + times.pageBytes();
      properties.setProperty(reads(size), joined(times.reads()));
      properties.setProperty(writes(size), joined(times.writes()));
    }
    return file(folder, device).write(properties, "Times of a device");
  }

  private static String joined(List<Double> times) {
    return times.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }
}
