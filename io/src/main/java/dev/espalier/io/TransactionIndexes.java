// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.ref.WeakReference;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the indexes of a store for transactions.
 *
 * @param open those that transactions have used, which are open as long as the store has them open
 */
record TransactionIndexes(StoreIndexes indexes, Map<String, WeakReference<Object>> open) {

  /**
   * Returns an open index of longs.
   *
   * @throws IllegalArgumentException if there is none of this name, or it has byte strings
   */
  StoreIndex index(String name) {
    return known(name) instanceof StoreIndex index && !index.isClosed()
        ? index
        : opened(name, indexes.existing(name));
  }

  /**
   * Returns an open index of byte strings.
   *
   * @throws IllegalArgumentException if there is none of this name, or it has longs
   */
  StoreBytesIndex bytesIndex(String name) {
    return known(name) instanceof StoreBytesIndex index && !index.isClosed()
        ? index
        : opened(name, indexes.existingBytes(name));
  }

  private @Nullable Object known(String name) {
    WeakReference<Object> reference = open.get(name);
    return reference == null ? null : reference.get();
  }

  private <T> T opened(String name, T index) {
    open.put(name, new WeakReference<>(index));
    return index;
  }
}
