// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.csbplus.CsbPlusTree;
import dev.espalier.family.Family;
import dev.espalier.model.MemoryTimes;
import it.unimi.dsi.fastutil.longs.Long2LongAVLTreeMap;
import it.unimi.dsi.fastutil.longs.Long2LongRBTreeMap;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/** All structures that can be measured: Espalier's catalogue, then what it is compared with. */
public final class Peers {
  /** The sorted map everyone has. */
  public static final PeerType TREE_MAP =
      new PeerType("TreeMap", 72, () -> new NavigableMapPeer(new TreeMap<>()));

  /** A hash map without boxing, which keeps no order: it can't be scanned. */
  public static final PeerType HASH_MAP =
      new PeerType("Long2LongOpenHashMap", 48, HashMapPeer::new);

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

  private static final PbPlusTree.Geometry PB_FOR_BATCHES =
      PbPlusTree.Geometry.forBatches(MemoryTimes.TYPICAL);

  /** What scanned fastest: docs/measurements/pb-plus-choices.md. */
  private static final PbPlusTree.Geometry PB_FOR_SCANS = new PbPlusTree.Geometry(8, 32, 4);

  private static final CsbPlusTree.Geometry CSB_FOR_BATCHES = CsbPlusTree.Geometry.FOR_BATCHES;

  /**
   * Trees with other proportions than their catalogue entries: those made for batched lookups or
   * scans.
   */
  public static final List<PeerType> OTHER_GEOMETRIES =
      List.of(
          tree("PbPlusTree-batches", options -> PbPlusTree.create(options, PB_FOR_BATCHES)),
          tree("PbPlusTree-scans", options -> PbPlusTree.create(options, PB_FOR_SCANS)),
          tree("CsbPlusTree-batches", options -> CsbPlusTree.create(options, CSB_FOR_BATCHES)));

  private Peers() {}

  private static PeerType tree(String name, Function<IndexOptions, LongIndex> factory) {
    return new PeerType(name, 0, () -> new IndexPeer(factory));
  }

  /** Returns Espalier's trees, in the order of their catalogue. */
  public static List<PeerType> trees() {
    return Family.all().stream().map(variant -> tree(variant.name(), variant::create)).toList();
  }

  /** Returns Espalier's trees on a medium, in the order of their catalogue. */
  public static List<PeerType> trees(TreeVariant.Medium medium) {
    return Family.all().stream()
        .filter(variant -> variant.medium() == medium)
        .map(variant -> tree(variant.name(), variant::create))
        .toList();
  }

  /** Returns all ordered structures on the class path. */
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
    all.add(HASH_MAP);
    for (PeerType type : all) {
      if (type.name().equalsIgnoreCase(name)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "no structure is named '" + name + "'; there are " + names());
  }
}
