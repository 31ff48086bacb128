// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** What a path has to lead to, so that a page file can be there. */
final class PathCheck {
  /** The bits of a file's mode that tell its kind, and two of the kinds: stat.h. */
  private static final int KIND_BITS = 0xF000;

  private static final int PIPE = 0x1000;
  private static final int SOCKET = 0xC000;

  private PathCheck() {}

  /**
   * Checks that a path is one of the system's own file system; system calls know no others.
   *
   * @throws IllegalArgumentException if it is not
   */
  static void checkFileSystem(Path path) {
    if (!path.getFileSystem().equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "path is %s of the file system '%s'; page files are in that of the system only"
              .formatted(path, path.getFileSystem().provider().getScheme()));
    }
  }

  /**
   * Checks that what is there, if anything, is a regular file.
   *
   * @throws PageFileException if something else is
   */
  static void checkRegular(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw refusal(path);
    }
  }

  /**
   * Checks that nothing is there that has no positions, and that could take forever to open.
   *
   * @throws PageFileException if it is a directory, a pipe or a socket
   */
  static void checkPositions(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path) && !kind(path).equals("a device")) {
      throw refusal(path);
    }
  }

  /** Returns why a file that is not there could not be opened or made. */
  static String whyMissing(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    return folder == null || Files.exists(folder)
        ? "no such file"
        : "its folder " + folder + " does not exist";
  }

  /** Returns what to throw for what is no regular file. */
  static PageFileException refusal(Path path) {
    return new PageFileException(
        path, "it is not a regular file, but " + kind(path), PageFileException.NO_ERRNO);
  }

  private static String kind(Path path) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      if (attributes.isDirectory()) {
        return "a directory";
      }
      return switch ((int) Files.getAttribute(path, "unix:mode") & KIND_BITS) {
        case PIPE -> "a pipe";
        case SOCKET -> "a socket";
        default -> "a device";
      };
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return "something else";
    }
  }
}
