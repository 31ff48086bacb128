// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.peer.StringPeerProvider;
import java.util.List;

/** The stores of the compare profile, with strings for keys. */
public final class CompareStrings implements StringPeerProvider {

  @Override
  public List<InMemory> peers() {
    return List.of(
        new InMemory("LMDB", LmdbStrings::new),
        new InMemory("RocksDB", RocksDbStrings::new),
        new InMemory("MVStore", MvStoreStrings::new));
  }

  @Override
  public List<InFiles> stores() {
    return List.of(new InFiles("RocksDB", RocksDbStringStore::new));
  }
}
