// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.tree.StoreChange;

/** A change to a cache-first tree, whose path also says which children it takes. */
final class CacheFirstChange extends StoreChange {
  /** For each level above the leaves, the slot of the child taken there. */
  final int[] slots = new int[CacheFirstStructure.MAX_HEIGHT];

  CacheFirstChange(CacheFirstStructure tree) {
    super(tree);
  }
}
