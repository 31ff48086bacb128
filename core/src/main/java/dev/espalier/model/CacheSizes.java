// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The caches of the first processor, as reported by Linux.
 *
 * @param caches the caches, by level; empty if unknown
 */
public record CacheSizes(List<Cache> caches) {
  private static final long TYPICAL_SECOND_LEVEL_BYTES = 1 << 20;
  private static final Path SYSTEM_FOLDER = Path.of("/sys/devices/system/cpu/cpu0/cache");

  /**
   * One cache.
   *
   * @param level the level, 1 being closest to the processor
   * @param type what it holds: Data, Instruction or Unified
   * @param bytes size of the cache, in bytes
   * @param lineBytes size of a cache line, in bytes
   */
  public record Cache(int level, String type, long bytes, int lineBytes) {

    private static Cache read(Path folder) {
      return new Cache(
          Integer.parseInt(readLine(folder.resolve("level"))),
          readLine(folder.resolve("type")),
          parseSize(readLine(folder.resolve("size"))),
          Integer.parseInt(readLine(folder.resolve("coherency_line_size"))));
    }

    private static String readLine(Path file) {
      try {
        return Files.readString(file).strip();
      } catch (IOException e) {
        throw new UncheckedIOException("can't read " + file, e);
      }
    }

    /** Parses what the kernel writes: 48K, or plain bytes. */
    private static long parseSize(String size) {
      return size.endsWith("K")
          ? Long.parseLong(size.substring(0, size.length() - 1)) << 10
          : Long.parseLong(size);
    }

    @Override
    public String toString() {
      String name =
          "L"
              + level
              + (type.equals("Unified") ? "" : type.substring(0, 1).toLowerCase(Locale.ROOT));
      return name + " " + (bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB");
    }
  }

  /** Copies the list. */
  public CacheSizes {
    caches = List.copyOf(caches);
  }

  /** Returns the caches of this machine; none if the system does not report them. */
  public static CacheSizes ofThisMachine() {
    return read(SYSTEM_FOLDER);
  }

  /** Reads a folder laid out like {@code /sys/devices/system/cpu/cpu0/cache}. */
  static CacheSizes read(Path folder) {
    List<Cache> caches = new ArrayList<>();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        if (Files.exists(entry.resolve("size"))) {
          caches.add(Cache.read(entry));
        }
      }
    } catch (IOException e) {
      return new CacheSizes(List.of()); // Another system, or a container that hides it.
    }
    caches.sort(Comparator.comparingInt(Cache::level).thenComparing(Cache::type));
    return new CacheSizes(caches);
  }

  /** Returns the size of the second-level cache in bytes, or a typical size if it is unknown. */
  public long secondLevelBytes() {
    return caches.stream()
        .filter(cache -> cache.level() == 2)
        .mapToLong(Cache::bytes)
        .findFirst()
        .orElse(TYPICAL_SECOND_LEVEL_BYTES);
  }

  /** Returns the size of the largest cache in bytes, or 0 if it is unknown. */
  public long lastLevelBytes() {
    return caches.stream().mapToLong(Cache::bytes).max().orElse(0);
  }

  @Override
  public String toString() {
    if (caches.isEmpty()) {
      return "unknown";
    }
    return caches.stream().map(Cache::toString).collect(Collectors.joining(", "))
        + "; lines of "
        + caches.getFirst().lineBytes
        + " bytes";
  }
}
