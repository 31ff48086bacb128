// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that is deleted when it is closed, or at once where the system allows it. */
final class TemporaryFile extends RandomAccessFile {
  private final Path path;
  private final boolean isDeleted;

  private TemporaryFile(Path path) throws IOException {
    super(path.toFile(), "rw");
    this.path = path;
    this.isDeleted = isDeletedWhileOpen(path);
  }

  /** Opens an empty file in a folder. */
  static TemporaryFile open(Path folder) throws IOException {
    return new TemporaryFile(Files.createTempFile(folder, "espalier-sort-", ".tmp"));
  }

  private static boolean isDeletedWhileOpen(Path path) {
    try {
      Files.delete(path);
      return true;
    } catch (IOException refused) {
      return false; // Closing it deletes it.
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    if (!isDeleted) {
      Files.deleteIfExists(path);
    }
  }
}
