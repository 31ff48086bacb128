// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;

/**
 * The files of a store and their names: everything that a store asks of a file system. A test has
 * an implementation of its own, which loses power.
 *
 * <p>As with all file systems, changes are safe from a crash only after a force: the bytes and the
 * length of a file after {@link PageFile#force}, names after {@link #forceNames}.
 */
interface StoreFiles {

  /** Opens the file of the pages. */
  PageFile openPages(Path path, Access access, int blockBytes);

  /** Opens a segment of the log. */
  PageFile openLog(Path path, Access access, int blockBytes);

  /** Tells whether there is a file of this name. */
  boolean exists(Path path);

  /** Returns the files beside a file whose names begin as its own name does, in no order. */
  List<Path> beside(Path path);

  /**
   * Gives a file another name; a file that had it is gone then.
   *
   * @throws PageFileException if that fails
   */
  void rename(Path from, Path to);

  /**
   * Deletes a file, if it is there.
   *
   * @throws PageFileException if that fails
   */
  void delete(Path path);

  /**
   * Waits until the names in the folder of a file are safe: those that were made, and those that
   * are gone.
   *
   * @throws PageFileException if that fails
   */
  void forceNames(Path path);
}
