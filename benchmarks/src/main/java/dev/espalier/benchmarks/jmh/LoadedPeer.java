// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.benchmarks.peer.Peer;
import dev.espalier.benchmarks.peer.Peers;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A structure that was filled by puts in random order. */
@SuppressWarnings("NullAway.Init") // JMH sets the parameters, then calls load()
@State(Scope.Benchmark)
public class LoadedPeer {
  /** Name of the structure; the main class fills in all there are. */
  @Param("PbPlusTree")
  public String index;

  /** Amount of data, see {@link DataSize}. */
  @Param({"1/16xLLC", "1xLLC", "4xLLC"})
  public String size;

  long entries;
  Peer peer;

  /** Fills the structure. */
  @Setup(Level.Trial)
  public void load() {
    NativeRequirement.check();
    entries = DataSize.entries(size);
    peer = Peers.named(index).create();
    for (long i = 0; i < entries; i++) {
      long key = WorkKeys.key(i);
      peer.put(key, WorkKeys.value(key));
    }
  }

  /** Frees the structure. */
  @TearDown(Level.Trial)
  public void close() {
    peer.close();
  }
}
