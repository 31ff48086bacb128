// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A control group of Linux that bounds the memory of this process, with what the system caches of
 * the files that it reads and writes. Making one usually takes the rights of root.
 */
final class MemoryGroup implements AutoCloseable {
  /** Beside what is in use: for compilers, buffers, and the system's notes of the process. */
  private static final long SPARE_BYTES = 32L << 20;

  private static final Path CONTROL_GROUPS = Path.of("/sys/fs/cgroup");

  /** The hierarchy for memory, in the first version of control groups. */
  private static final Path FIRST = CONTROL_GROUPS.resolve("memory");

  private static final String PROCESSES = "cgroup.procs";
  private static final String ANONYMOUS = "RssAnon:";

  private final Path folder;
  private final Path before;
  private final Path limit;
  private final String none;

  private MemoryGroup(Path folder, Path before, boolean isFirst) {
    this.folder = folder;
    this.before = before;
    this.limit = folder.resolve(isFirst ? "memory.limit_in_bytes" : "memory.max");
    this.none = isFirst ? "-1" : "max";
  }

  /** Makes this process a member of a group of its own, without a limit; empty if it can't be. */
  static Optional<MemoryGroup> join() {
    boolean isFirst = Files.isDirectory(FIRST);
    Path root = isFirst ? FIRST : CONTROL_GROUPS;
    try {
      Path before = root.resolve(Path.of("/").relativize(Path.of(ownPath(isFirst))));
      Path folder = root.resolve("espalier-board-" + ProcessHandle.current().pid());
      Files.createDirectory(folder);
      MemoryGroup group = new MemoryGroup(folder, before, isFirst);
      if (!Files.isWritable(group.limit)) {
        Files.delete(folder);
        return Optional.empty();
      }
      enter(folder);
      return Optional.of(group);
    } catch (IOException | RuntimeException refused) {
      return Optional.empty();
    }
  }

  private static String ownPath(boolean isFirst) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/cgroup")).stream()
        .map(line -> line.split(":", 3))
        .filter(parts -> isFirst ? parts[1].equals("memory") : parts[1].isEmpty())
        .map(parts -> parts[2])
        .findFirst()
        .orElseThrow();
  }

  private static void enter(Path group) throws IOException {
    Files.writeString(group.resolve(PROCESSES), Long.toString(ProcessHandle.current().pid()));
  }

  /**
   * Bounds the memory of the process to what it has now besides files, and a number of bytes more.
   */
  void bound(long more) {
    set(Long.toString(anonymousBytes() + more + SPARE_BYTES));
  }

  /** Takes the limit away. */
  void unbound() {
    set(none);
  }

  private void set(String value) {
    try {
      Files.writeString(limit, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the bytes of memory that this process has, but for those of files. */
  static long anonymousBytes() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(ANONYMOUS))
          .map(line -> line.substring(ANONYMOUS.length()).replace("kB", "").strip())
          .mapToLong(kibibytes -> Long.parseLong(kibibytes) << 10)
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns to the group where the process was before. */
  @Override
  public void close() {
    try {
      unbound();
      enter(before);
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
