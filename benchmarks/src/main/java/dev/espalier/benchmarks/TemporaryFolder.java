// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for the files of one store. */
public final class TemporaryFolder {
  private final Path path;

  /** Makes a folder, named after the store. */
  public TemporaryFolder(String store) {
    try {
      path = Files.createTempDirectory("espalier-" + store);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the folder. */
  public Path path() {
    return path;
  }

  /** Deletes the folder with all that is in it. */
  public void delete() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
