// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import dev.espalier.ProgressListener;
import dev.espalier.node.Keys;
import dev.espalier.support.Verifier;
import java.lang.foreign.MemorySegment;

/** Checks the invariants I1 to I7 of {@link CssStructure}; there are no pointers to follow. */
final class CssVerifier extends Verifier {
  private final CssStructure tree;
  private final EntryArray array;
  private final CssDirectory directory;

  private CssVerifier(CssStructure tree, ProgressListener listener) {
    super(listener, tree.size());
    this.tree = tree;
    this.array = tree.array;
    this.directory = tree.directory;
  }

  static void verify(CssStructure tree, ProgressListener listener) {
    tree.checkOpen();
    CssVerifier verifier = new CssVerifier(tree, listener);
    verifier.checkColumns("I1", "array", tree.array);
    verifier.checkColumns("I2", "delta", tree.delta);
    verifier.checkLevels();
    verifier.checkDelta();
    verifier.checkSeparators();
    verifier.checkDigests();
    verifier.checkRemoved();
    verifier.checkMemory();
  }

  private void checkColumns(String invariant, String name, EntryArray columns) {
    checkRange(invariant, columns.count, 0, columns.capacity(), "the count of the %s", name);
    for (long slot = 0; slot < columns.count; slot++) {
      if (slot > 0) {
        check(
            columns.key(slot - 1) < columns.key(slot),
            invariant,
            "in slot %d of the %s, key %d is not above its predecessor %d",
            slot,
            name,
            columns.key(slot),
            columns.key(slot - 1));
        count(1);
      }
    }
    int padding = columns == array ? tree.shape.padding() : 1;
    for (int i = 0; i < padding; i++) {
      long key = columns.key(columns.count + i);
      checkEqual(invariant, key, Keys.PADDING, "key %d behind those of the %s", i, name);
    }
  }

  private void checkLevels() {
    int levels = directory.levels(array.count);
    checkEqual("I3", directory.levels, levels, "the number of levels");
    long nodes = directory.leaves(array.count);
    for (int level = levels; level >= 0; level--) {
      checkEqual("I3", directory.levelNodes[level], nodes, "the nodes of level %d", level);
      nodes = (nodes + directory.fanOut - 1) / directory.fanOut;
    }
    long offset = 0;
    for (int level = 0; level <= levels; level++) {
      checkEqual("I3", directory.levelOffset[level], offset, "the offset of level %d", level);
      offset += level < levels ? directory.levelBytes(level) : 0;
    }
    checkRange("I3", directory.usedBytes(), 0, directory.nodes.byteSize(), "the end of the levels");
  }

  /** By a search of the array alone, which must not depend on the directory. */
  private void checkDelta() {
    for (long slot = 0; slot < tree.delta.count; slot++) {
      long key = tree.delta.key(slot);
      check(
          !tree.arrayHolds(array.lowerBound(key), key),
          "I2",
          "key %d in slot %d of the delta is in the array too",
          key,
          slot);
    }
  }

  private void checkSeparators() {
    long span = 1;
    for (int level = directory.levels - 1; level >= 0; level--) {
      for (long node = 0; node < directory.levelNodes[level]; node++) {
        checkNode(level, node, span);
      }
      span *= directory.fanOut;
    }
  }

  private void checkNode(int level, long node, long span) {
    int separators = directory.children(level, node) - 1;
    for (int i = 0; i < directory.keySlots; i++) {
      long expected =
          i < separators
              ? directory.largestKey(node * directory.fanOut + i, span, array)
              : Keys.PADDING;
      long separator = directory.separator(level, node, i);
      checkEqual("I4", separator, expected, "slot %d of node %d on level %d", i, node, level);
    }
  }

  private void checkDigests() {
    if (!tree.shape.hasDigests()) {
      return;
    }
    for (long leaf = 0; leaf < directory.levelNodes[directory.levels]; leaf++) {
      checkDigestLeaf(leaf);
    }
  }

  private void checkDigestLeaf(long number) {
    MemorySegment nodes = directory.nodes;
    long leaf = directory.digestLeaf(number);
    long first = number * directory.leafEntries;
    int count = (int) Math.min(array.count - first, directory.leafEntries);
    long base = count == 0 ? 0 : array.key(first);
    int shift = count == 0 ? 0 : DigestLeaf.shiftFor(array.key(first + count - 1) - base);
    checkEqual("I7", DigestLeaf.base(nodes, leaf), base, "the base of leaf %d", number);
    checkEqual("I7", DigestLeaf.shift(nodes, leaf), shift, "the shift of leaf %d", number);
    for (int line = 0; line < DigestLeaf.SLOTS; line++) {
      long next = (line + 1) * (long) EntryArray.PAIRS_PER_LINE;
      long expected =
          next < count ? (array.key(first + next - 1) - base) >>> shift : DigestLeaf.PADDING;
      int digest = DigestLeaf.digest(nodes, leaf, line);
      checkEqual("I7", digest, expected, "digest %d of leaf %d", line, number);
    }
  }

  private void checkRemoved() {
    long bits = 0;
    long end = tree.removed.bits();
    for (long slot = 0; slot < end; slot++) {
      if (tree.removed.contains(slot)) {
        check(slot < array.count, "I5", "slot %d is removed, beyond the array", slot);
        bits++;
      }
    }
    check(
        end >= array.count && bits == tree.removed.count,
        "I5",
        "%d of %d slots are removed, but the count is %d",
        bits,
        end,
        tree.removed.count);
  }

  private void checkMemory() {
    long used = tree.usedBytes();
    long taken = tree.budget.taken();
    long committed = tree.committedBytes();
    check(
        used <= taken && committed == taken && taken <= tree.options.memoryLimit(),
        "I6",
        "%d bytes are in use and %d committed; %d are accounted for, the limit is %d",
        used,
        committed,
        taken,
        tree.options.memoryLimit());
  }
}
