// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import java.nio.file.Path;
import java.util.List;

/**
 * Opens indexes that live in files. An index is one file, or if it is striped several; while it is
 * open, no other process may open it but for reading.
 *
 * <p>What is written is safe after {@link LongIndex#flush}, and after {@link LongIndex#close},
 * which flushes. A program that ends without either may leave a file that is not clean, and is then
 * opened with {@link FileOption#EVEN_IF_UNCLEAN} only.
 *
 * <p>When a device fails, the index never gives a wrong answer instead: what can't be read ends in
 * a {@link PageFileException}, damaged pages in a {@link CorruptPageException}. After a failed
 * write the index takes no more changes, after a change that failed halfway it answers nothing any
 * more; both say why, and closing it is a {@link PageFileException}.
 */
public final class Espalier {
  private Espalier() {}

  /** Opens the index in a file, or makes one, with default options. */
  public static LongIndex open(Path path) {
    return open(path, FileOptions.DEFAULT);
  }

  /**
   * Opens the index in a file, or makes one.
   *
   * @throws PageFileException if the file can't be opened, is open already, is no index of this
   *     version, or is not clean
   * @throws IllegalArgumentException if the file holds another tree, or pages of another size, than
   *     the options or their pool ask for, or a path is not one of the system's own file system
   */
  public static LongIndex open(Path path, FileOptions options) {
    return new FileOpening(path, options).open();
  }

  /**
   * Returns what the header of an index file says, whether the file is clean or not.
   *
   * @param options of which engine and stripes matter
   * @throws PageFileException if the file can't be opened, or is no index of this version
   */
  public static FileDescription describe(Path path, FileOptions options) {
    return new FileOpening(path, options).describe();
  }

  /**
   * Reads every page in use and looks for damage: what {@link LongIndex#verify} does not, which
   * ends at the first damaged page. O(pages), in large reads.
   *
   * @param options of which engine and stripes matter
   * @param listener is told pages and may cancel
   * @return what is wrong, page by page in ascending order; empty if nothing is
   * @throws PageFileException if the file can't be opened, or is no index of this version
   */
  public static List<CorruptPageException> findDamage(
      Path path, FileOptions options, ProgressListener listener) {
    return new FileOpening(path, options).findDamage(listener);
  }
}
