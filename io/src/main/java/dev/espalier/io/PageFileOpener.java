// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/** Opens page files with one engine: {@link PageFiles} has those of this library. */
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
}
