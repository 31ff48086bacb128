// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.FileCalls;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file that was opened by system calls: past the system's page cache (O_DIRECT) where that is
 * asked for and possible.
 *
 * @param number the number by which the system knows the open file
 * @param alignment the alignment of positions, lengths and memory addresses: more than 1 past the
 *     page cache
 * @param cached why it does not go past the page cache; empty if it does, or was not asked to
 */
record Descriptor(Path path, int number, int alignment, String cached) {

  /** A multiple of the blocks of all of today's devices, so it suits every direct transfer. */
  static final int DIRECT_ALIGNMENT = 4096;

  /** Stands for blocks that go through the page cache, however large they are. */
  static final int CACHED = 1;

  /**
   * Opens a file.
   *
   * @throws PageFileException if it can't be opened, or has no positions
   * @throws IllegalArgumentException if the path is of another file system
   */
  static Descriptor open(Path path, Access access, int blockBytes) {
    PathCheck.checkFileSystem(path);
    int flags =
        switch (access) {
          case READ -> FileCalls.READ_ONLY;
          case WRITE -> FileCalls.READ_WRITE;
          case CREATE -> FileCalls.READ_WRITE | FileCalls.CREATE_NEW;
        };
    int number = FileCalls.open(path, flags);
    if (number < 0) {
      throw new PageFileException(path, whyNotOpened(path, -number), -number);
    }
    if (FileCalls.size(number) < 0 || Files.isDirectory(path)) {
      FileCalls.close(number);
      throw PathCheck.refusal(path);
    }
    String cached = blockBytes % DIRECT_ALIGNMENT == 0 ? past(number) : unsuited(blockBytes);
    boolean isDirect = cached.isEmpty() && blockBytes != CACHED;
    if (!isDirect) {
      FileCalls.setDirect(number, false);
    }
    return new Descriptor(path, number, isDirect ? DIRECT_ALIGNMENT : 1, cached);
  }

  private static String whyNotOpened(Path path, int errno) {
    return switch (errno) {
      case Errno.ENOENT -> PathCheck.whyMissing(path);
      case Errno.EEXIST -> "the file exists already";
      default -> "the file can't be opened: " + Errno.describe(errno);
    };
  }

  /** Takes a file past the page cache; returns why that is not possible, if it is not. */
  private static String past(int number) {
    return FileCalls.setDirect(number, true) == 0
        ? ""
        : "its file system has no direct transfers (O_DIRECT)";
  }

  private static String unsuited(int blockBytes) {
    if (blockBytes == CACHED) {
      return "";
    }
    return "blocks of %d bytes are not multiples of %d, as direct transfers need them"
        .formatted(blockBytes, DIRECT_ALIGNMENT);
  }

  /** Returns the status of a file that is moved by an engine, for a reason. */
  IoStatus status(IoStatus.Engine engine, String reason, String remedy) {
    String both = reason.isEmpty() || cached.isEmpty() ? reason + cached : reason + "; " + cached;
    return new IoStatus(engine, alignment > 1, both, remedy);
  }
}
