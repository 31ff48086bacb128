// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * A file that gets its name only when all of it is written. Until then it has another one, and if
 * anything fails, there is none of its name.
 *
 * @param target the name
 * @param unfinished the name until then
 */
record UnfinishedFile(StoreFiles files, Path target, Path unfinished) {

  /**
   * Checks that there is no file of its name.
   *
   * @throws PageFileException if there is one
   */
  void checkAbsent() {
    if (files.exists(target)) {
      throw new PageFileException(target, "the file exists already", PageFileException.NO_ERRNO);
    }
  }

  /**
   * Gives it its name, which is safe from a crash when this returns.
   *
   * @throws PageFileException if there is a file of that name, or the device fails
   */
  void finish() {
    checkAbsent();
    files.rename(unfinished, target);
    try {
      files.forceNames(target);
    } catch (RuntimeException | Error failed) {
      throw without(target, failed);
    }
  }

  /** Deletes what was written, and returns why. */
  RuntimeException without(Throwable reason) {
    return without(unfinished, reason);
  }

  private RuntimeException without(Path written, Throwable reason) {
    try {
      files.delete(written);
    } catch (PageFileException second) {
      reason.addSuppressed(second);
    }
    if (reason instanceof Error error) {
      throw error;
    }
    return (RuntimeException) reason;
  }
}
