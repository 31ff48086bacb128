// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What Linux tells about the machine in /proc and /sys; other systems tell nothing here. */
public final class Machine {
  private static final Path CACHES = Path.of("/sys/devices/system/cpu/cpu0/cache");
  private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
  private static final Path LOAD = Path.of("/proc/loadavg");
  private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
  private static final String AVAILABLE = "MemAvailable:";

  private Machine() {}

  /**
   * A data cache of the first processor.
   *
   * @param level 1 for the one next to the core
   * @param bytes its size, as the system claims it; a virtual machine may be given only a part
   */
  record Cache(int level, long bytes) {}

  /** Returns the setting of transparent huge pages, as the kernel writes it. */
  static String hugePages() {
    return Files.isReadable(HUGE_PAGES) ? read(HUGE_PAGES).strip() : "unknown";
  }

  /** Returns how many threads ran or waited for a processor in the last minute, on average. */
  public static String loadAverage() {
    if (!Files.isReadable(LOAD)) {
      return "unknown";
    }
    String averages = read(LOAD);
    return averages.substring(0, averages.indexOf(' '));
  }

  /** Returns the bytes of memory that programs could still take, or empty if unknown. */
  public static OptionalLong availableMemoryBytes() {
    if (!Files.isReadable(MEMORY_INFO)) {
      return OptionalLong.empty();
    }
    return read(MEMORY_INFO)
        .lines()
        .filter(line -> line.startsWith(AVAILABLE))
        .mapToLong(
            line -> Long.parseLong(line.substring(AVAILABLE.length()).replace(" kB", "").strip()))
        .map(kibibytes -> kibibytes << 10)
        .findFirst();
  }

  /** Returns the size of the largest cache, or empty if unknown. */
  static OptionalLong lastLevelCacheBytes() {
    return dataCaches().stream().mapToLong(Cache::bytes).max();
  }

  /** Returns the caches that hold data, in no particular order; none if unknown. */
  static List<Cache> dataCaches() {
    List<Cache> caches = new ArrayList<>();
    for (int i = 0; Files.isDirectory(CACHES.resolve("index" + i)); i++) {
      Path cache = CACHES.resolve("index" + i);
      if (!read(cache.resolve("type")).strip().equals("Instruction")) {
        caches.add(
            new Cache(
                Integer.parseInt(read(cache.resolve("level")).strip()),
                bytes(read(cache.resolve("size")).strip())));
      }
    }
    return caches;
  }

  /** Parses the kernel's {@code 266240K}. */
  static long bytes(String size) {
    long number = Long.parseLong(size.substring(0, size.length() - 1));
    return switch (size.charAt(size.length() - 1)) {
      case 'K' -> number << 10;
      case 'M' -> number << 20;
      case 'G' -> number << 30;
      default -> Long.parseLong(size);
    };
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
