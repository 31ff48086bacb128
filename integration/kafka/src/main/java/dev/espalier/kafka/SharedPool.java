// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.BufferPool;
import dev.espalier.io.FileOptions;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * The memory that all stores of this process share, from the first that is open to the last. If the
 * application says nothing of it, stores have the shared pool that all index files of the process
 * have.
 */
final class SharedPool {
  /** Small, for state is mostly written here and there. */
  static final int PAGE_BYTES = 4 << 10;

  /** Enough for the pages that a few stores need at the same time. */
  static final long LEAST_BYTES = 1 << 20;

  private static @Nullable BufferPool pool;
  private static int users;

  private SharedPool() {}

  /**
   * Returns how large an application wants it to be; {@link FileOptions#SHARED_POOL} if it does not
   * say.
   */
  static long bytes(Map<String, Object> configuration) {
    Object asked = configuration.get(EspalierStores.POOL_BYTES_CONFIG);
    if (asked == null) {
      return FileOptions.SHARED_POOL;
    }
    try {
      long bytes = Long.parseLong(asked.toString().strip());
      if (bytes >= LEAST_BYTES) {
        return bytes;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw new ConfigException(
        EspalierStores.POOL_BYTES_CONFIG,
        asked,
        "must be a number of bytes, at least " + LEAST_BYTES);
  }

  /**
   * Returns the options of a file whose pages are in this memory; {@link #release} is to follow.
   *
   * @param bytes how large it is to be, if this is its first user
   */
  static synchronized FileOptions acquire(long bytes) {
    if (pool == null && bytes != FileOptions.SHARED_POOL) {
      pool = BufferPool.create(bytes, PAGE_BYTES);
    }
    users++;
    FileOptions options = FileOptions.DEFAULT.withPageBytes(PAGE_BYTES);
    return pool == null ? options : options.withPool(pool);
  }

  static synchronized void release() {
    users--;
    if (users == 0 && pool != null) {
      pool.close();
      pool = null;
    }
  }
}
