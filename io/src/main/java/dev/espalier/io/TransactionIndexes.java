// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the indexes of a store for transactions.
 *
 * @param open those that transactions have used, which are open as long as the store has them open
 */
record TransactionIndexes(IndexStore store, Map<String, WeakReference<Object>> open) {

  /**
   * Returns an open index of longs.
   *
   * @throws IllegalArgumentException if there is none of this name, or it has byte strings
   */
  StoreIndex index(String name) {
    return known(name) instanceof StoreIndex index && !index.isClosed()
        ? index
        : (StoreIndex) open(name, store::index);
  }

  /**
   * Returns an open index of byte strings.
   *
   * @throws IllegalArgumentException if there is none of this name, or it has longs
   */
  StoreBytesIndex bytesIndex(String name) {
    return known(name) instanceof StoreBytesIndex index && !index.isClosed()
        ? index
        : (StoreBytesIndex) open(name, store::bytesIndex);
  }

  private @Nullable Object known(String name) {
    WeakReference<Object> reference = open.get(name);
    return reference == null ? null : reference.get();
  }

  private Object open(String name, Function<String, Object> opener) {
    if (!store.names().contains(name)) {
      throw new IllegalArgumentException(
          "name is '%s', but %s has no such index; make it before the transaction begins"
              .formatted(name, store.path()));
    }
    Object index = opener.apply(name);
    open.put(name, new WeakReference<>(index));
    return index;
  }
}
