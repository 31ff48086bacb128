// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.util.Objects;

/**
 * Options that every index is created with.
 *
 * @param missingValue what {@code get} returns for an absent key. This value may be stored as well;
 *     {@code containsKey} then tells the two apart
 * @param memoryLimit the most native memory that the index may use, in bytes
 * @param hugePages whether to ask the operating system for huge pages
 */
public record IndexOptions(long missingValue, long memoryLimit, HugePages hugePages) {

  /** The smallest memory limit, in bytes: room for a few nodes of any width. */
  public static final long MIN_MEMORY_LIMIT = 16 * 1024;

  /**
   * {@link Long#MIN_VALUE} as missing value, no memory limit, and huge pages once the index has
   * grown.
   */
  public static final IndexOptions DEFAULT =
      new IndexOptions(Long.MIN_VALUE, Long.MAX_VALUE, HugePages.WHEN_GROWN);

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if {@code memoryLimit} is below {@link #MIN_MEMORY_LIMIT}
   */
  public IndexOptions {
    Objects.requireNonNull(hugePages, "hugePages");
    if (memoryLimit < MIN_MEMORY_LIMIT) {
      throw new IllegalArgumentException(
          "memoryLimit is " + memoryLimit + " bytes; at least " + MIN_MEMORY_LIMIT + " are needed");
    }
  }

  /**
   * Creates an empty page store in memory, with this memory limit.
   *
   * @param pageBytes size of a page, in bytes: a power of two, usually from 4 to 64 KiB; some trees
   *     need more than the minimum, 256 bytes
   */
  public MemoryPageStore pagesInMemory(int pageBytes) {
    return new MemoryPageStore(pageBytes, memoryLimit, hugePages);
  }

  /**
   * Creates an empty page store in memory, with this memory limit, for a tree that other threads
   * read while it grows: the store does not free memory that they may be reading.
   *
   * @param pageBytes size of a page, in bytes, as for {@link #pagesInMemory}
   */
  public MemoryPageStore pagesBesideReaders(int pageBytes) {
    return MemoryPageStore.besideReaders(pageBytes, memoryLimit, hugePages);
  }

  /** Returns these options with another missing value. */
  public IndexOptions withMissingValue(long value) {
    return new IndexOptions(value, memoryLimit, hugePages);
  }

  /** Returns these options with another memory limit, in bytes. */
  public IndexOptions withMemoryLimit(long bytes) {
    return new IndexOptions(missingValue, bytes, hugePages);
  }

  /** Returns these options with another huge-page policy. */
  public IndexOptions withHugePages(HugePages policy) {
    return new IndexOptions(missingValue, memoryLimit, policy);
  }
}
