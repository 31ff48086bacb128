// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.TreeVariant;
import dev.espalier.memory.MemoryPageStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What an index in a file is opened or made with.
 *
 * @param missingValue what {@code get} returns for an absent key; any value may be stored all the
 *     same. Not kept in the file
 * @param variant which tree, made and opened by its own opener; if empty, that of the file, or in a
 *     new file an {@code FpbLinkTree}, a disk-first fpB+-tree for many threads
 * @param pageBytes bytes of a page, a power of two; 0 for that of the file, or in a new file 16 KiB
 * @param poolBytes bytes of the index's own buffer pool, which has room for a few pages at least;
 *     {@link #SHARED_POOL} for the one that all files share which have no other; ignored if {@code
 *     pool} is given
 * @param pool a buffer pool that several indexes share; the index does not close it
 * @param engine what moves the bytes; {@link PageFiles#CACHED} is the default
 * @param stripes further files, over which the pages are spread in turn (several disks); always the
 *     same files in the same order
 * @param flags how the file is treated
 */
public record FileOptions(
    long missingValue,
    Optional<TreeVariant> variant,
    int pageBytes,
    long poolBytes,
    Optional<BufferPool> pool,
    PageFileOpener engine,
    List<Path> stripes,
    Set<FileOption> flags) {

  /** Bytes of a page in a new file. */
  public static final int DEFAULT_PAGE_BYTES = 16 << 10;

  /**
   * Stands for the {@linkplain BufferPool pool that files share}, up to a quarter of the memory of
   * the process, or as much as {@code -Despalier.pool} says.
   */
  public static final long SHARED_POOL = 0;

  /**
   * The default options: {@link Long#MIN_VALUE} as the missing value, an {@code FpbLinkTree} in
   * pages of 16 KiB, which is made if it does not exist, the shared pool, and the best engine,
   * through the page cache.
   */
  public static final FileOptions DEFAULT =
      new FileOptions(
          Long.MIN_VALUE,
          Optional.empty(),
          0,
          SHARED_POOL,
          Optional.empty(),
          PageFiles.CACHED,
          List.of(),
          Set.of());

  /** Checks the parts. */
  public FileOptions {
    Objects.requireNonNull(engine, "engine");
    stripes = List.copyOf(stripes);
    flags = Set.copyOf(flags);
    if (poolBytes < 0) {
      throw new IllegalArgumentException("poolBytes is " + poolBytes + "; it must not be negative");
    }
    if (pool.isPresent() && pool.get().isClosed()) {
      throw new IllegalArgumentException("pool is closed");
    }
    if (pageBytes != 0) {
      MemoryPageStore.checkPageBytes(pageBytes);
    }
    if (variant.isPresent() && variant.get().medium() != TreeVariant.Medium.PAGES) {
      throw new IllegalArgumentException(
          "variant is " + variant.get().name() + ", which does not live in pages");
    }
    if (flags.contains(FileOption.MUST_BE_NEW)
        && (flags.contains(FileOption.READ_ONLY)
            || flags.contains(FileOption.LAST_CHECKPOINT)
            || flags.contains(FileOption.MUST_EXIST))) {
      throw new IllegalArgumentException("flags contradict one another: " + flags);
    }
  }

  /** Returns these options with another missing value. */
  public FileOptions withMissingValue(long value) {
    return new FileOptions(value, variant, pageBytes, poolBytes, pool, engine, stripes, flags);
  }

  /** Returns these options with another tree, which must be one that lives in pages. */
  public FileOptions withVariant(TreeVariant tree) {
    return new FileOptions(
        missingValue, Optional.of(tree), pageBytes, poolBytes, pool, engine, stripes, flags);
  }

  /** Returns these options with another page size. */
  public FileOptions withPageBytes(int bytes) {
    return new FileOptions(missingValue, variant, bytes, poolBytes, pool, engine, stripes, flags);
  }

  /**
   * Returns these options with a pool of its own for the index, of another size, or {@link
   * #SHARED_POOL}.
   */
  public FileOptions withPoolBytes(long bytes) {
    return new FileOptions(missingValue, variant, pageBytes, bytes, pool, engine, stripes, flags);
  }

  /** Returns these options with a pool that the program has made. */
  public FileOptions withPool(BufferPool shared) {
    return new FileOptions(
        missingValue, variant, pageBytes, poolBytes, Optional.of(shared), engine, stripes, flags);
  }

  /** Returns these options with another engine. */
  public FileOptions withEngine(PageFileOpener opener) {
    return new FileOptions(
        missingValue, variant, pageBytes, poolBytes, pool, opener, stripes, flags);
  }

  /** Returns these options with further files to spread the pages over. */
  public FileOptions withStripes(Path... further) {
    return new FileOptions(
        missingValue, variant, pageBytes, poolBytes, pool, engine, List.of(further), flags);
  }

  /** Returns these options with these flags and no others. */
  public FileOptions withFlags(FileOption... all) {
    return new FileOptions(
        missingValue, variant, pageBytes, poolBytes, pool, engine, stripes, Set.of(all));
  }
}
