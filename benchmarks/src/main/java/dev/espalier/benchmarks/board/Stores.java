// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** All stores that the board can have. */
final class Stores {
  private Stores() {}

  /** Returns the stores on the class path, Espalier's first. */
  static List<StoreType> all() {
    List<StoreType> all = new ArrayList<>(EspalierStores.all());
    all.add(SkipListStore.TYPE);
    for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
      all.addAll(provider.stores());
    }
    return all;
  }

  /**
   * Returns a store.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  static StoreType named(String name) {
    return all().stream()
        .filter(type -> type.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "store is '"
                        + name
                        + "'; there are "
                        + String.join(
                            ", ", all().stream().map(StoreType::name).distinct().toList())));
  }
}
