// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.prefix.PrefixBPlusTree;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kind of index that a crash test writes.
 *
 * @param variant the tree of an index of longs, or null for one of byte strings
 */
record CrashKind(@Nullable TreeVariant variant) {
  /** Byte strings, which one tree is for. */
  static final CrashKind BYTE_STRINGS = new CrashKind(null);

  private static final String TREE_OF_BYTE_STRINGS = PrefixBPlusTree.class.getSimpleName();

  /** Returns all kinds that can be in a store. */
  static List<CrashKind> all() {
    List<CrashKind> all = new ArrayList<>();
    for (TreeVariant tree : Family.all()) {
      if (tree.medium() == TreeVariant.Medium.PAGES) {
        all.add(new CrashKind(tree));
      }
    }
    all.add(BYTE_STRINGS);
    return all;
  }

  /** Tells whether this is the name of the tree of byte strings, in any case. */
  static boolean isOfByteStrings(String name) {
    return name.equalsIgnoreCase(TREE_OF_BYTE_STRINGS);
  }

  /** Returns the kind with a name that {@link #name} gave. */
  static CrashKind named(String name) {
    return isOfByteStrings(name) ? BYTE_STRINGS : new CrashKind(Family.named(name));
  }

  /** Returns the name of the tree. */
  String name() {
    return variant == null ? TREE_OF_BYTE_STRINGS : variant.name();
  }

  FileOptions options(FileOptions others) {
    return variant == null ? others : others.withVariant(variant);
  }

  /** Opens an index of a store, or makes one. */
  CrashIndex open(IndexStore store, String name) {
    return variant == null
        ? new CrashByteStrings(store.bytesIndex(name))
        : new CrashLongs(store.index(name, variant));
  }
}
