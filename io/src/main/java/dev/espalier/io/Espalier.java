// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Opens indexes that live in files, one to a file: an {@link IndexStore} of one, with all that it
 * says of threads: any number may read and write the index. While it is open, no other process can
 * open it, unless both open it for reading only.
 *
 * <p>What is written is safe from a crash after {@link LongIndex#flush} or {@link LongIndex#close}.
 * After a crash, the next opening recovers the index: it then has everything that was written up to
 * some moment after the last flush, in order.
 *
 * <p>When a device fails, the index never gives a wrong answer: a read that fails throws a {@link
 * PageFileException}, and a damaged page a {@link CorruptPageException}. After a failed write, the
 * index takes no more changes; after a change that failed halfway, it no longer answers at all. In
 * both cases its exceptions say why, and closing it throws a {@link PageFileException}. Opening it
 * again recovers what was safe.
 */
public final class Espalier {
  /** The name of the index in a store that this class has made, for {@link IndexStore#index}. */
  public static final String NAME = "index";

  private Espalier() {}

  /**
   * Opens the index in a file, or makes one, with default options. Its pages are in the {@linkplain
   * BufferPool pool that files share}, up to a quarter of the memory of the process; {@code
   * -Despalier.pool=2G} bounds it.
   */
  public static LongIndex open(Path path) {
    return open(path, FileOptions.DEFAULT);
  }

  /**
   * Opens the index in a file, or makes one.
   *
   * @throws PageFileException if the file can't be opened, is open already, is no store of this
   *     version, is damaged, or holds other indexes
   * @throws IllegalArgumentException if the file holds a different tree, or pages of a different
   *     size, than the options or their pool ask for, or a path is not one of the system's own file
   *     system
   */
  public static LongIndex open(Path path, FileOptions options) {
    Objects.requireNonNull(options, "options is null");
    return open(path, StoreOptions.DEFAULT.withFiles(options));
  }

  /** Opens the index in a file, or makes one, as {@link #open(Path, FileOptions)} does. */
  public static LongIndex open(Path path, StoreOptions options) {
    Objects.requireNonNull(options, "options is null");
    return open(path, options, StoreEnvironment.of(options.files()));
  }

  static LongIndex open(Path path, StoreOptions options, StoreEnvironment environment) {
    return open(path, options, environment, IndexStore::only);
  }

  /** Opens the index of byte strings in a file, or makes one, with default options. */
  public static BytesIndex openBytes(Path path) {
    return openBytes(path, StoreOptions.DEFAULT);
  }

  /**
   * Opens the index of byte strings in a file, or makes one.
   *
   * @param options the options, of which the variant and the missing value are not used
   * @throws PageFileException if the file can't be opened, is open already, is no store of this
   *     version, is damaged, or holds other indexes
   * @throws IllegalArgumentException if the file holds an index of longs, or pages of another size
   *     than the options or their pool ask for, or a path is not one of the system's own file
   *     system
   */
  public static BytesIndex openBytes(Path path, StoreOptions options) {
    Objects.requireNonNull(options, "options is null");
    return openBytes(path, options, StoreEnvironment.of(options.files()));
  }

  static BytesIndex openBytes(Path path, StoreOptions options, StoreEnvironment environment) {
    return open(path, options, environment, IndexStore::onlyBytes);
  }

  private static <T> T open(
      Path path, StoreOptions options, StoreEnvironment environment, Function<IndexStore, T> only) {
    Objects.requireNonNull(path, "path is null");
    return new StoreOpening(path, options, environment).open(only);
  }

  /**
   * Returns what the header of a store says, and what its catalogue says about its indexes, as of
   * the last checkpoint. Nothing is recovered.
   *
   * @param options the options, of which engine and stripes matter
   * @throws PageFileException if the file can't be opened, or is no store of this version
   */
  public static StoreDescription describe(Path path, FileOptions options) {
    return StoreInspection.describe(path, options);
  }

  /**
   * Reads every page of the last checkpoint and looks for damage. Unlike {@link LongIndex#verify},
   * it does not end at the first damaged page. O(pages), in large reads.
   *
   * @param options the options, of which engine and stripes matter
   * @param listener told how many pages were read; may cancel
   * @return what is wrong, index by index and page by page; empty if nothing is
   * @throws PageFileException if the file can't be opened, or is no store of this version
   */
  public static List<CorruptPageException> findDamage(
      Path path, FileOptions options, ProgressListener listener) {
    return StoreInspection.findDamage(path, options, listener);
  }
}
