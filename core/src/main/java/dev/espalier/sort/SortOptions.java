// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.nio.file.Path;
import java.util.Objects;

/**
 * How an {@link EntrySorter} or a {@link BytesSorter} works.
 *
 * @param memoryBytes the most native memory, in bytes, that it takes before it writes entries to a
 *     file; an {@code EntrySorter} needs 32 bytes for each entry
 * @param folder where the temporary file is created once memory is full; it must exist by then
 * @param duplicates what becomes of entries with the same key
 */
public record SortOptions(long memoryBytes, Path folder, Duplicates duplicates) {

  /** The smallest limit on memory, in bytes. */
  public static final long MIN_MEMORY_BYTES = 1L << 20;

  /**
   * 256 MiB, the system's folder for temporary files, and the last of several entries with the same
   * key stays.
   */
  public static final SortOptions DEFAULT =
      new SortOptions(
          256L << 20, Path.of(System.getProperty("java.io.tmpdir")), Duplicates.KEEP_LAST);

  /** Checks the options. */
  public SortOptions {
    Objects.requireNonNull(folder, "folder");
    Objects.requireNonNull(duplicates, "duplicates");
    if (memoryBytes < MIN_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "memoryBytes is " + memoryBytes + "; at least " + MIN_MEMORY_BYTES + " are needed");
    }
  }

  /** Returns these options with another limit on memory, in bytes. */
  public SortOptions withMemoryBytes(long bytes) {
    return new SortOptions(bytes, folder, duplicates);
  }

  /** Returns these options with another folder. */
  public SortOptions withFolder(Path newFolder) {
    return new SortOptions(memoryBytes, newFolder, duplicates);
  }

  /** Returns these options with another treatment of duplicates. */
  public SortOptions withDuplicates(Duplicates newDuplicates) {
    return new SortOptions(memoryBytes, folder, newDuplicates);
  }
}
