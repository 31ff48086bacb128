// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileDescription;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens and makes index files for commands, and explains in one line why that can't be. */
final class IndexFiles {
  private IndexFiles() {}

  /**
   * Opens an index.
   *
   * @throws CommandFailure if the file is not what the options say, or the pool is too large
   */
  static LongIndex open(Path path, FileOptions options) {
    try {
      return Espalier.open(path, options);
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      throw new CommandFailure(path + ": can't be opened: " + e.getMessage(), e);
    }
  }

  /**
   * Returns what an index file's header says.
   *
   * @throws CommandFailure if the stripes are wrong
   */
  static FileDescription describe(Path path, FileOptions options) {
    try {
      return Espalier.describe(path, options);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(path + ": can't be opened: " + e.getMessage(), e);
    }
  }

  /** Returns the bytes of a file and of its stripes. */
  static long bytes(Path path, FileOptions options) {
    try {
      long bytes = Files.size(path);
      for (Path stripe : options.stripes()) {
        bytes += Files.size(stripe);
      }
      return bytes;
    } catch (IOException e) {
      throw new CommandFailure("can't read the size of " + path + ": " + e, e);
    }
  }

  /**
   * Makes a pool.
   *
   * @throws CommandFailure if it is too small or too large
   */
  static BufferPool pool(long bytes, int pageBytes) {
    try {
      return BufferPool.create(bytes, pageBytes);
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      throw new CommandFailure("--pool: " + e.getMessage(), e);
    }
  }

  /**
   * Makes an index file by bulkload. If that fails, there is no file.
   *
   * @param entries in strictly ascending order
   * @param total number of them
   */
  static void make(
      Path path,
      FileOptions options,
      LongEntrySource entries,
      double fillFactor,
      long total,
      ProgressListener listener) {
    LongIndex index = open(path, options.withFlags(FileOption.MUST_BE_NEW));
    try {
      try (index) {
        index.bulkload(entries, fillFactor, total, listener);
      }
    } catch (MemoryLimitException full) {
      delete(path, options, full);
      throw new CommandFailure("can't load all entries: " + full.getMessage(), full);
    } catch (RuntimeException | Error failed) {
      delete(path, options, failed);
      throw failed;
    }
  }

  private static void delete(Path path, FileOptions options, Throwable reason) {
    try {
      Files.deleteIfExists(path);
      for (Path stripe : options.stripes()) {
        Files.deleteIfExists(stripe);
      }
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
