// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the system gives page by page as it is written, where there is no native access to
 * ask for it, and the JVM would clear all of it at once: a private mapping of a file that is one
 * hole. The file is deleted at once, and nothing is ever written to it.
 */
final class EmptyFile {
  /** File systems in memory, on which even reading a hole would take memory. */
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");

  private EmptyFile() {}

  /**
   * Maps memory that is freed with an arena; null if no folder has room for such a file. An
   * interrupt does not matter.
   */
  static @Nullable MemorySegment map(long bytes, Arena arena) {
    return map(bytes, arena, folders());
  }

  /**
   * Does what {@link #map(long, Arena)} does, with a file in the first of some folders that can.
   */
  static @Nullable MemorySegment map(long bytes, Arena arena, List<Path> folders) {
    for (Path folder : folders) {
      try {
        if (!IN_MEMORY.contains(Files.getFileStore(folder).type())) {
          return mapIn(folder, bytes, arena);
        }
      } catch (IOException | SecurityException | UnsupportedOperationException _) {
        // There may be another folder, and if not, memory that is cleared at once.
      }
    }
    return null;
  }

  private static List<Path> folders() {
    List<Path> folders = new ArrayList<>();
    for (String property : List.of("java.io.tmpdir", "user.dir")) {
      folders.add(Path.of(Objects.requireNonNullElse(System.getProperty(property), ".")));
    }
    folders.add(1, Path.of("/var/tmp"));
    return folders;
  }

  private static MemorySegment mapIn(Path folder, long bytes, Arena arena) throws IOException {
    Path file = Files.createTempFile(folder, "espalier", ".memory");
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return open(file, bytes, arena);
        } catch (ClosedByInterruptException _) {
          // An interrupt closes the channel, and its status would close the next one, too.
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      Files.delete(file);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static MemorySegment open(Path file, long bytes, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.PRIVATE, 0, bytes, arena);
    }
  }
}
