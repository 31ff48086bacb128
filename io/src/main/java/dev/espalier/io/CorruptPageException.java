// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * Thrown when a page of a file is damaged, is not the page it should be, or says what can't be
 * true. {@link IndexStore#verify()} says what else is wrong, and {@link Salvage} saves what can be
 * read.
 */
public final class CorruptPageException extends PageFileException {
  private static final long serialVersionUID = 1L;

  /** Stands for a page that is not known: only several pages together show that something is. */
  public static final long UNKNOWN_PAGE = 0;

  private static final String ADVICE = " (Salvage saves what can be read)";

  private final long page;

  /** Whether another page, which may have changed meanwhile, has led to this one. */
  private final boolean isMisled;

  /**
   * Makes the exception.
   *
   * @param page the number of the page
   * @param what what is wrong with it
   */
  public CorruptPageException(Path path, long page, String what) {
    this(path, page, "page " + page + " " + what, false);
  }

  private CorruptPageException(Path path, long page, String message, boolean isMisled) {
    super(path, message + ADVICE, NO_ERRNO);
    this.page = page;
    this.isMisled = isMisled;
  }

  /** Returns the exception for a page that another one has led to, by mistake. */
  static CorruptPageException misled(Path path, long page, String what) {
    return new CorruptPageException(path, page, "page " + page + " " + what, true);
  }

  /** Returns the exception for a page that is known by another name than its number. */
  static CorruptPageException named(Path path, long page, String message) {
    return new CorruptPageException(path, page, message, false);
  }

  /** Returns the exception for pages that are whole, and say what can't be true. */
  static CorruptPageException lying(Path path, String message, RuntimeException cause) {
    CorruptPageException lying = new CorruptPageException(path, UNKNOWN_PAGE, message, false);
    lying.initCause(cause);
    return lying;
  }

  /** Returns the number of the page, or {@link #UNKNOWN_PAGE}. */
  public long page() {
    return page;
  }

  boolean isMisled() {
    return isMisled;
  }
}
