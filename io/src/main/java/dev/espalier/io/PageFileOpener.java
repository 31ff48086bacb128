// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * Opens page files with one engine: {@link PageFiles} has those of this library. A store also asks
 * its engine for what becomes of the names of its files, so that an engine around another one sees
 * everything that a store does to a file system.
 */
@FunctionalInterface
public interface PageFileOpener {

  /**
   * Opens a file.
   *
   * @param path the path of the file
   * @param access what will be done with it
   * @param blockBytes the number that all positions, lengths and memory addresses will be multiples
   *     of
   * @throws PageFileException if it can't be opened, or this engine does not run here
   */
  PageFile open(Path path, Access access, int blockBytes);

  /**
   * Gives a file of a store another name; a file that had it is gone then.
   *
   * @throws PageFileException if that fails
   */
  default void rename(Path from, Path to) {
    SystemFiles.move(from, to);
  }

  /**
   * Deletes a file of a store, if it is there.
   *
   * @throws PageFileException if that fails
   */
  default void delete(Path path) {
    SystemFiles.deleteIfThere(path);
  }

  /**
   * Waits until the names in the folder of a file are safe from a crash of the machine: those that
   * were made, and those that are gone.
   *
   * @throws PageFileException if that fails
   */
  default void forceNames(Path path) {
    SystemFiles.forceFolder(path);
  }
}
