// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How much memory this process may use: what the machine has, or less where a control group of the
 * process, or one above it, is limited, or where the system promises no more memory than it has.
 */
final class ProcessMemory {
  /** The part of the memory that the JVM takes for the heap at most if nobody says otherwise. */
  private static final int HEAP_PART = 4;

  /** The part of a group's limit that is left for its page cache and other processes' growth. */
  private static final int SPARE_PART = 8;

  /** What the system calls it that it promises no more memory than it has. */
  private static final long NO_OVERCOMMIT = 2;

  /** A line of {@code /proc/meminfo}. */
  private static final Pattern AMOUNT = Pattern.compile("(\\w+):\\s+(\\d{1,15}) kB");

  /** A line of {@code /proc/self/cgroup}: its controllers, empty in version 2, and the group. */
  private static final Pattern GROUP = Pattern.compile("\\d+:([^:]*):(/.*)");

  private final long bytes;

  /** The group whose limit counts; null if the memory of the machine does. */
  private final @Nullable Group group;

  /** A control group with a limit. */
  private record Group(Path folder, Version version, long limit) {}

  /** What the versions of control groups call things. */
  private enum Version {
    FIRST("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
    SECOND("memory.max", "memory.current", "");

    final String limit;
    final String usage;
    private final String prefix;

    Version(String limit, String usage, String prefix) {
      this.limit = limit;
      this.usage = usage;
      this.prefix = prefix;
    }

    /** Tells whether the system can take that back: pages of files, and its own notes of files. */
    boolean isReclaimable(String name) {
      return name.equals("slab_reclaimable")
          || name.equals(prefix + "active_file")
          || name.equals(prefix + "inactive_file");
    }
  }

  private ProcessMemory(long bytes, @Nullable Group group) {
    this.bytes = bytes;
    this.group = group;
  }

  /**
   * Finds out how much it is.
   *
   * @param root the folder in which {@code proc} and {@code sys} are
   */
  static ProcessMemory of(Path root) {
    long total = total(root);
    Group group = mostLimited(root);
    return group == null || group.limit >= total
        ? new ProcessMemory(total, null)
        : new ProcessMemory(group.limit, group);
  }

  /** Returns the bytes that this process may use. */
  long bytes() {
    return bytes;
  }

  /**
   * Tells whether the control group whose limit counts would have taken more than seven eighths of
   * it, besides what the system can take back, if it took so many bytes more. Then one of its
   * processes may be killed before long.
   */
  boolean isShort(long more) {
    if (group == null) {
      return false;
    }
    long used = more;
    for (String line : lines(group.folder.resolve(group.version.usage))) {
      used += number(line).orElse(0);
    }
    for (String line : lines(group.folder.resolve("memory.stat"))) {
      int blank = line.indexOf(' ');
      if (blank > 0 && group.version.isReclaimable(line.substring(0, blank))) {
        used -= number(line.substring(blank)).orElse(0);
      }
    }
    return used > group.limit - group.limit / SPARE_PART;
  }

  private static long total(Path root) {
    long total = amount(root, "MemTotal").orElse(Long.MAX_VALUE);
    if (total == Long.MAX_VALUE) {
      long heap = Runtime.getRuntime().maxMemory();
      return heap > Long.MAX_VALUE / HEAP_PART ? Long.MAX_VALUE : HEAP_PART * heap;
    }
    return Math.min(total, promisable(root));
  }

  /** Returns how much memory the system can still promise, if it does not promise more. */
  private static long promisable(Path root) {
    for (String line : lines(root.resolve("proc/sys/vm/overcommit_memory"))) {
      if (number(line).orElse(0) == NO_OVERCOMMIT) {
        long limit = amount(root, "CommitLimit").orElse(Long.MAX_VALUE);
        return Math.max(0, limit - amount(root, "Committed_AS").orElse(0));
      }
    }
    return Long.MAX_VALUE;
  }

  /** Returns an amount of memory that the system tells. */
  private static OptionalLong amount(Path root, String name) {
    for (String line : lines(root.resolve("proc/meminfo"))) {
      Matcher amount = AMOUNT.matcher(line);
      if (amount.matches() && amount.group(1).equals(name)) {
        return OptionalLong.of(Long.parseLong(amount.group(2)) << 10);
      }
    }
    return OptionalLong.empty();
  }

  private static @Nullable Group mostLimited(Path root) {
    Path top = root.resolve("sys/fs/cgroup");
    List<Group> groups = new ArrayList<>();
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      Matcher group = GROUP.matcher(line);
      if (!group.matches()) {
        continue;
      }
      String name = group.group(2).substring(1);
      if (group.group(1).isEmpty()) {
        addLimited(groups, top, name, Version.SECOND);
      } else if (List.of(group.group(1).split(",")).contains("memory")) {
        addLimited(groups, top.resolve("memory"), name, Version.FIRST);
      }
    }
    return groups.stream().min(Comparator.comparingLong(Group::limit)).orElse(null);
  }

  /**
   * Adds a group and those above it, as far as they have limits. In a container the group's name
   * may lead nowhere, or out of what is there: then the topmost folder is the group's.
   */
  private static void addLimited(List<Group> groups, Path top, String name, Version version) {
    Path named = top.resolve(name).normalize();
    for (Path group = named.startsWith(top) ? named : top;
        group != null && group.startsWith(top);
        group = group.getParent()) {
      for (String line : lines(group.resolve(version.limit))) {
        OptionalLong limit = number(line);
        if (limit.isPresent()) {
          groups.add(new Group(group, version, limit.getAsLong()));
        }
      }
    }
  }

  /** Returns the number that a line is, if it is one: no limit is "max", or a very large one. */
  private static OptionalLong number(String line) {
    try {
      return OptionalLong.of(Long.parseLong(line.strip()));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /**
   * Returns the lines of a file of the system; none if there is no such file. An interrupt of the
   * thread does not keep it from reading, as it would with a channel.
   */
  private static List<String> lines(Path file) {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).lines().toList();
    } catch (IOException | SecurityException _) {
      return List.of();
    }
  }
}
