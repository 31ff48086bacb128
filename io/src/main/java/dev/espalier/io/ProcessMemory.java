// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much memory this process may use: what the machine has, or less where a control group of the
 * process, or one above it, is limited.
 */
final class ProcessMemory {
  /** The part of the memory that the JVM takes for the heap at most if nobody says otherwise. */
  private static final int HEAP_PART = 4;

  private static final Pattern TOTAL = Pattern.compile("MemTotal:\\s+(\\d{1,15}) kB");

  /** A line of {@code /proc/self/cgroup}: its controllers, empty in version 2, and the group. */
  private static final Pattern GROUP = Pattern.compile("\\d+:([^:]*):(/.*)");

  /** Where the system's own files are. */
  private final Path root;

  private ProcessMemory(Path root) {
    this.root = root;
  }

  /** Returns the bytes that this process may use. */
  static long bytes() {
    return bytes(Path.of("/"));
  }

  /**
   * Returns the bytes that this process may use.
   *
   * @param root the folder in which {@code proc} and {@code sys} are
   */
  static long bytes(Path root) {
    ProcessMemory memory = new ProcessMemory(root);
    return Math.min(memory.total(), memory.leastLimit());
  }

  private long total() {
    for (String line : lines(root.resolve("proc/meminfo"))) {
      Matcher total = TOTAL.matcher(line);
      if (total.matches()) {
        return Long.parseLong(total.group(1)) << 10;
      }
    }
    long heap = Runtime.getRuntime().maxMemory();
    return heap > Long.MAX_VALUE / HEAP_PART ? Long.MAX_VALUE : HEAP_PART * heap;
  }

  private long leastLimit() {
    long least = Long.MAX_VALUE;
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      Matcher group = GROUP.matcher(line);
      if (!group.matches()) {
        continue;
      }
      String name = group.group(2).substring(1);
      if (group.group(1).isEmpty()) {
        least = Math.min(least, limit(root.resolve("sys/fs/cgroup"), name, "memory.max"));
      } else if (List.of(group.group(1).split(",")).contains("memory")) {
        Path top = root.resolve("sys/fs/cgroup/memory");
        least = Math.min(least, limit(top, name, "memory.limit_in_bytes"));
      }
    }
    return least;
  }

  /**
   * Returns the least limit of a group and those above it. In a container the group's name may lead
   * nowhere, or out of what is there: then the topmost folder is the group's.
   */
  private static long limit(Path top, String name, String file) {
    Path named = top.resolve(name).normalize();
    long least = Long.MAX_VALUE;
    for (Path group = named.startsWith(top) ? named : top;
        group != null && group.startsWith(top);
        group = group.getParent()) {
      for (String line : lines(group.resolve(file))) {
        least = Math.min(least, number(line).orElse(Long.MAX_VALUE));
      }
    }
    return least;
  }

  /** Returns the number that a line is, if it is one: no limit is "max", or a very large one. */
  private static OptionalLong number(String line) {
    try {
      return OptionalLong.of(Long.parseLong(line.strip()));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /** Returns the lines of a file of the system; none if there is no such file. */
  private static List<String> lines(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList();
    } catch (IOException | SecurityException _) {
      return List.of();
    }
  }
}
