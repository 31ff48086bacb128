// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A control group below that of this process, whose processes may use so much memory, as those of a
 * container may.
 */
final class ControlGroup implements AutoCloseable {
  /** A line of {@code /proc/self/cgroup}: its controllers, empty in version 2, and the group. */
  private static final Pattern GROUP = Pattern.compile("\\d+:([^:]*):/(.*)");

  private static final Path TOP = Path.of("/sys/fs/cgroup");

  /** How often a group is asked to go whose last process may not have gone yet. */
  private static final int ATTEMPTS = 100;

  private static final long PAUSE_NANOS = 50_000_000;

  private final Path folder;

  private ControlGroup(Path folder) {
    this.folder = folder;
  }

  /** Makes a group, if this process may, and others may be in it. */
  static Optional<ControlGroup> make(long bytes) throws IOException, InterruptedException {
    Path own = Path.of("/proc/self/cgroup");
    for (String line : Files.exists(own) ? Files.readAllLines(own) : List.<String>of()) {
      Matcher group = GROUP.matcher(line);
      ControlGroup made = null;
      if (!group.matches()) {
        continue;
      } else if (List.of(group.group(1).split(",")).contains("memory")) {
        made = make(TOP.resolve("memory").resolve(group.group(2)), "memory.limit_in_bytes", bytes);
      } else if (group.group(1).isEmpty()) {
        made = make(TOP.resolve(group.group(2)), "memory.max", bytes);
      }
      if (made != null) {
        return Optional.of(made);
      }
    }
    return Optional.empty();
  }

  private static @Nullable ControlGroup make(Path parent, String limit, long bytes)
      throws IOException, InterruptedException {
    Path folder = parent.resolve("espalier-" + UUID.randomUUID());
    try {
      Files.createDirectory(folder);
    } catch (IOException _) {
      return null;
    }
    ControlGroup group = new ControlGroup(folder);
    try {
      Files.writeString(folder.resolve(limit), Long.toString(bytes));
      if (group.start(List.of("true")).waitFor() == 0) {
        return group;
      }
    } catch (IOException _) {
      // As if it could not be made.
    }
    group.close();
    return null;
  }

  /** Starts a process in the group; what it writes comes in one stream. */
  Process start(List<String> command) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                folder.resolve("cgroup.procs").toString()));
    all.addAll(command);
    return new ProcessBuilder(all).redirectErrorStream(true).start();
  }

  /** Removes the group, all of whose processes have ended. */
  @Override
  public void close() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        Files.delete(folder);
        return;
      } catch (IOException failure) {
        if (attempt == ATTEMPTS) {
          throw failure;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
