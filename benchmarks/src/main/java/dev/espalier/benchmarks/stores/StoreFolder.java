// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * A temporary folder with the files of one store.
 *
 * @param path of the folder
 */
record StoreFolder(Path path) implements AutoCloseable {

  static StoreFolder create() {
    try {
      return new StoreFolder(Files.createTempDirectory("espalier-store"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path store() {
    return path.resolve("store");
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.toList();
    }
  }

  /**
   * Makes the files of another folder those of this one, and waits until they are on the device.
   */
  void copyFrom(StoreFolder other) {
    try {
      empty();
      for (Path file : other.files()) {
        Files.copy(file, path.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
      new ProcessBuilder("sync").start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void empty() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
  }

  @Override
  public void close() {
    try {
      empty();
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
