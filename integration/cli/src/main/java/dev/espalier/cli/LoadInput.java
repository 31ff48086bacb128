// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.sort.Duplicates;
import dev.espalier.sort.SortOptions;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to be loaded: entries in ascending order, which can be read once, and of which there may
 * be more than memory holds.
 *
 * @param <I> the index that takes them
 */
abstract sealed class LoadInput<I> implements AutoCloseable permits BytesInput, LongInput {
  /**
   * Entries put at once: several of the groups in which a tree looks for their leaves, and so few
   * that an interruption need not wait.
   */
  static final int BATCH = 4096;

  /** Part of the memory that the JVM may take which sorting takes, at most. */
  private static final int SHARE_OF_MEMORY = 2;

  private final @Nullable String header;

  LoadInput(@Nullable String header) {
    this.header = header;
  }

  /** Returns how lines are sorted; what does not fit into memory goes to {@code folder}. */
  static SortOptions sortOptions(Path folder) {
    long bytes =
        Math.clamp(
            Runtime.getRuntime().maxMemory() / SHARE_OF_MEMORY,
            SortOptions.MIN_MEMORY_BYTES,
            SortOptions.DEFAULT.memoryBytes());
    return new SortOptions(bytes, folder, Duplicates.KEEP_LAST);
  }

  /** Opens an index of a store, or makes it. */
  abstract I open(IndexStore store, FileOptions options, String name);

  /** Fills an empty index. */
  abstract void bulkload(I index, double fillFactor, ProgressListener listener);

  /**
   * Puts entries into an index and flushes it, until there are no more or the process is told to
   * end.
   *
   * @return how many entries were put, and how many of them are new
   */
  abstract Added putAll(I index, ProgressListener listener);

  /**
   * What was put.
   *
   * @param put entries
   * @param isNew how many of these had a key that was not there
   */
  record Added(long put, long isNew) {}

  /** Returns the number of rows that were read: one or more for each entry. */
  abstract long rows();

  /** Returns the number of rows that are no entries, as far as it is known. */
  abstract long dropped();

  /** Returns the first line, if it was skipped. */
  final Optional<String> header() {
    return Optional.ofNullable(header);
  }

  @Override
  public abstract void close();
}
