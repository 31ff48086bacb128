// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.peer.PeerProvider;
import dev.espalier.benchmarks.peer.PeerType;
import java.util.List;

/** The stores of the compare profile. */
public final class ComparePeers implements PeerProvider {

  @Override
  public List<PeerType> peers() {
    return List.of(
        new PeerType("LMDB", 0, LmdbPeer::new),
        new PeerType("RocksDB", 0, RocksDbPeer::new),
        new PeerType("MapDB", 0, MapDbPeer::new),
        // Pages are Java objects with boxed keys and values.
        new PeerType("MVStore", 64, MvStorePeer::new));
  }
}
