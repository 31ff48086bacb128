// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/** Thrown when a page of a file is damaged, or is not the page it should be. */
public final class CorruptPageException extends PageFileException {
  private static final long serialVersionUID = 1L;

  private final long page;

  /**
   * Makes the exception.
   *
   * @param page the number of the page
   * @param what what is wrong with it
   */
  public CorruptPageException(Path path, long page, String what) {
    super(path, "page " + page + " " + what, NO_ERRNO);
    this.page = page;
  }

  /** Returns the number of the page. */
  public long page() {
    return page;
  }
}
