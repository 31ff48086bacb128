// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * Thrown when a file could not be opened, read, written or enlarged. The message names the file and
 * says why.
 */
public class PageFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Stands for a failure for which there is no error number of the operating system. */
  public static final int NO_ERRNO = 0;

  private final transient Path path;
  private final int errno;

  /**
   * Makes the exception.
   *
   * @param path the path of the file
   * @param what what was done to the file and what became of it, without the name of the file
   * @param errno the error number of the operating system, or {@link #NO_ERRNO}
   */
  public PageFileException(Path path, String what, int errno) {
    super(path + ": " + what);
    this.path = path;
    this.errno = errno;
  }

  /** Makes the exception for a failure that another exception reported. */
  public PageFileException(Path path, String what, Throwable cause) {
    super(path + ": " + what, cause);
    this.path = path;
    this.errno = cause instanceof PageFileException failure ? failure.errno : NO_ERRNO;
  }

  /** Returns the file. */
  public Path path() {
    return path;
  }

  /** Returns the error number of the operating system, or {@link #NO_ERRNO}. */
  public int errno() {
    return errno;
  }
}
