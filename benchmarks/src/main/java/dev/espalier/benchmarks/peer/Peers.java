// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import dev.espalier.TreeVariant;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.model.MemoryTimes;
import it.unimi.dsi.fastutil.longs.Long2LongAVLTreeMap;
import it.unimi.dsi.fastutil.longs.Long2LongRBTreeMap;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** All structures that can be measured: Espalier's catalogue, then what it is compared with. */
public final class Peers {
  /** The sorted map everyone has. */
  public static final PeerType TREE_MAP =
      new PeerType("TreeMap", 72, () -> new NavigableMapPeer(new TreeMap<>()));

  /**
   * The other sorted maps that live on the Java heap; their sizes hold for compressed references.
   */
  public static final List<PeerType> OTHER_JVM_MAPS =
      List.of(
          new PeerType("Long2LongRBTreeMap", 40, () -> new FastutilPeer(new Long2LongRBTreeMap())),
          new PeerType(
              "Long2LongAVLTreeMap", 40, () -> new FastutilPeer(new Long2LongAVLTreeMap())),
          new PeerType(
              "ConcurrentSkipListMap",
              64,
              () -> new NavigableMapPeer(new ConcurrentSkipListMap<>())));

  /** Trees with other proportions than their catalogue entries: those made for batched lookups. */
  public static final List<PeerType> OTHER_GEOMETRIES =
      List.of(
          new PeerType(
              "PbPlusTree-batches",
              0,
              () ->
                  new IndexPeer(
                      options ->
                          PbPlusTree.create(
                              options, PbPlusTree.Geometry.forBatches(MemoryTimes.TYPICAL)))));

  private Peers() {}

  /** Returns Espalier's trees, in the order of their catalogue. */
  public static List<PeerType> trees() {
    return TreeVariant.all().stream()
        .map(variant -> new PeerType(variant.name(), 0, () -> new IndexPeer(variant.factory())))
        .toList();
  }

  /** Returns all structures on the class path. */
  public static List<PeerType> all() {
    List<PeerType> all = new ArrayList<>(trees());
    all.add(TREE_MAP);
    all.addAll(OTHER_JVM_MAPS);
    for (PeerProvider provider : ServiceLoader.load(PeerProvider.class)) {
      all.addAll(provider.peers());
    }
    return all;
  }

  /** Returns the names of all structures. */
  public static List<String> names() {
    return all().stream().map(PeerType::name).toList();
  }

  /**
   * Returns the structure of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the names
   */
  public static PeerType named(String name) {
    List<PeerType> all = new ArrayList<>(all());
    all.addAll(OTHER_GEOMETRIES);
    for (PeerType type : all) {
      if (type.name().equalsIgnoreCase(name)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "no structure is named '" + name + "'; there are " + names());
  }
}
