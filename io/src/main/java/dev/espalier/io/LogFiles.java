// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** The names of the files of a log: that of the store, ".log", and a number. */
final class LogFiles {
  private static final String SUFFIX = ".log";

  private LogFiles() {}

  /** Returns the path of a file of the log of a store. */
  static Path path(Path store, int number) {
    return store.resolveSibling(store.getFileName() + SUFFIX + number);
  }

  /** Returns the number of a file of the log of a store, or -1 if it is another file. */
  static int number(Path store, Path file) {
    String prefix = store.getFileName() + SUFFIX;
    String name = file.getFileName().toString();
    if (!name.startsWith(prefix) || !name.substring(prefix.length()).matches("\\d{1,9}")) {
      return -1;
    }
    return Integer.parseInt(name.substring(prefix.length()));
  }

  /** Returns the files of a store that are there. */
  static List<Path> all(StoreFiles files, Path store) {
    Path unfinished = StoreOpening.unfinished(store);
    return files.beside(store).stream()
        .filter(file -> file.equals(store) || file.equals(unfinished) || number(store, file) >= 0)
        .toList();
  }

  /** Returns the bytes of all files of the log of a store. */
  static long bytes(StoreFiles files, Path store) {
    long bytes = 0;
    for (Path file : files.beside(store)) {
      if (number(store, file) >= 0) {
        try (PageFile log = files.openLog(file, Access.READ, LogBuffer.BLOCK_BYTES)) {
          bytes += log.bytes();
        }
      }
    }
    return bytes;
  }

  /** Closes segments, all of them whatever becomes of one. */
  static void close(Collection<LogSegment> segments) {
    ForEach.all(segments, segment -> segment.file.close());
  }
}
