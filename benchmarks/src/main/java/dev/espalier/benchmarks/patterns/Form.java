// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.benchmarks.peer.PeerType;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.family.Family;
import dev.espalier.patterns.IndexTarget;
import dev.espalier.patterns.MapTarget;
import dev.espalier.patterns.PatternTarget;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What entries are, and where they lie: within a form, structures are compared. */
enum Form {
  /** Longs in memory. */
  MEMORY,
  /** Longs in files. */
  FILES,
  /** Byte strings in memory and in files. */
  STRINGS;

  /** What all others are compared with, in memory in every form. */
  static final String BASIS = Peers.TREE_MAP.name();

  /** Stores of the benchmarks that keep longs in files, where they are on the class path. */
  private static final List<String> STORES = List.of("LMDB", "RocksDB");

  /** Returns what makes an empty structure, by name, the basis first. */
  Map<String, Supplier<PatternTarget>> structures() {
    Map<String, Supplier<PatternTarget>> structures = new LinkedHashMap<>();
    structures.put(BASIS, this == STRINGS ? BytesMapTarget::new : MapTarget::new);
    switch (this) {
      case MEMORY -> addTrees(structures);
      case FILES -> addFiles(structures);
      case STRINGS -> {
        structures.put("PrefixBPlusTree", () -> new BytesTarget(PrefixBPlusTree.create()));
        structures.put(
            "PrefixBPlusTree in a file",
            () -> new FileTarget(store -> new BytesTarget(store.bytesIndex("entries"))));
      }
    }
    return structures;
  }

  private static void addTrees(Map<String, Supplier<PatternTarget>> structures) {
    for (TreeVariant tree : Family.all()) {
      structures.put(tree.name(), () -> new IndexTarget(tree.create(IndexOptions.DEFAULT)));
    }
  }

  private static void addFiles(Map<String, Supplier<PatternTarget>> structures) {
    for (TreeVariant tree : Family.all()) {
      if (tree.medium() == Medium.PAGES) {
        structures.put(
            tree.name(),
            () -> new FileTarget(store -> new IndexTarget(store.index("entries", tree))));
      }
    }
    for (PeerType type : Peers.all()) {
      if (STORES.contains(type.name())) {
        structures.put(type.name(), () -> new PeerTarget(type.create()));
      }
    }
  }
}
