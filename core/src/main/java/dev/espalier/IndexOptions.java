// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.util.Objects;

/**
 * What every index is made with.
 *
 * @param missingValue what {@code get} answers for an absent key; any value may be stored all the
 *     same
 * @param memoryLimit most bytes of native memory the index may use
 * @param hugePages whether to ask the system for huge pages once the index has grown
 */
public record IndexOptions(long missingValue, long memoryLimit, HugePages hugePages) {

  /** The smallest memory limit, in bytes: room for a few nodes of any width. */
  public static final long MIN_MEMORY_LIMIT = 16 * 1024;

  /**
   * Missing is {@link Long#MIN_VALUE}, no limit but the machine's, huge pages where they are
   * granted.
   */
  public static final IndexOptions DEFAULT =
      new IndexOptions(Long.MIN_VALUE, Long.MAX_VALUE, HugePages.WHEN_GROWN);

  /** Checks the parts. */
  public IndexOptions {
    Objects.requireNonNull(hugePages, "hugePages");
    if (memoryLimit < MIN_MEMORY_LIMIT) {
      throw new IllegalArgumentException(
          "memoryLimit is " + memoryLimit + " bytes; at least " + MIN_MEMORY_LIMIT + " are needed");
    }
  }

  /**
   * Makes an empty page store in memory, with this limit.
   *
   * @param pageBytes bytes of a page: a power of two, from 4 to 64 KiB for use; trees say what else
   *     they take
   */
  public MemoryPageStore pagesInMemory(int pageBytes) {
    return new MemoryPageStore(pageBytes, memoryLimit, hugePages);
  }

  /** Returns these options with another missing value. */
  public IndexOptions withMissingValue(long value) {
    return new IndexOptions(value, memoryLimit, hugePages);
  }

  /** Returns these options with another memory limit in bytes. */
  public IndexOptions withMemoryLimit(long bytes) {
    return new IndexOptions(missingValue, bytes, hugePages);
  }

  /** Returns these options with another huge-page policy. */
  public IndexOptions withHugePages(HugePages policy) {
    return new IndexOptions(missingValue, memoryLimit, policy);
  }
}
