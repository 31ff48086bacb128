// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import dev.espalier.css.CssTree.Form;
import dev.espalier.css.CssTree.Geometry;
import dev.espalier.css.EntryArray.Arrangement;
import dev.espalier.memory.CacheLine;

/**
 * What the nodes of a tree hold.
 *
 * @param keySlots separators that an inner node has room for: whole lines
 * @param fanOut children of an inner node
 * @param leafEntries entries below a leaf
 * @param arrangement of the entries. In columns, {@code leafEntries} keys are a leaf; for pairs,
 *     each leaf is a {@link DigestLeaf}.
 */
record CssShape(int keySlots, int fanOut, int leafEntries, Arrangement arrangement) {
  /** Full nodes of one line above digest leaves. */
  static final CssShape DIGESTS =
      new CssShape(CacheLine.LONGS, CacheLine.LONGS + 1, DigestLeaf.CAPACITY, Arrangement.PAIRS);

  static CssShape of(Geometry geometry) {
    int keySlots = geometry.width() * CacheLine.LONGS;
    int fanOut = geometry.form() == Form.FULL ? keySlots + 1 : keySlots;
    return new CssShape(keySlots, fanOut, keySlots, Arrangement.COLUMNS);
  }

  /** Returns how many padding keys follow the entries: what a search of the last ones may read. */
  int padding() {
    return hasDigests() ? EntryArray.PAIRS_PER_LINE : leafEntries + 1;
  }

  boolean hasDigests() {
    return arrangement == Arrangement.PAIRS;
  }
}
