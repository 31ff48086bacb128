// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.node.Keys;
import java.util.concurrent.CancellationException;

/** Checks the invariants I1 to I6 of {@link CssStructure}; there are no pointers to follow. */
final class CssVerifier {
  private static final long REPORT_EVERY = 1 << 16;

  private final CssStructure tree;
  private final EntryColumns array;
  private final CssDirectory directory;
  private final ProgressListener listener;

  private CssVerifier(CssStructure tree, ProgressListener listener) {
    this.tree = tree;
    this.array = tree.array;
    this.directory = tree.directory;
    this.listener = listener;
  }

  static void verify(CssStructure tree, ProgressListener listener) {
    tree.checkOpen();
    CssVerifier verifier = new CssVerifier(tree, listener);
    verifier.checkColumns("I1", "array", tree.array);
    verifier.checkColumns("I2", "delta", tree.delta);
    verifier.checkLevels();
    verifier.checkDelta();
    verifier.checkSeparators();
    verifier.checkRemoved();
    verifier.checkMemory();
  }

  private void checkColumns(String invariant, String name, EntryColumns columns) {
    check(
        columns.count >= 0 && columns.count <= columns.capacity(),
        invariant,
        "the %s has %d entries of %d",
        name,
        columns.count,
        columns.capacity());
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
        report(slot);
      }
    }
    int padding = columns == array ? directory.keySlots + 1 : 1;
    for (int i = 0; i < padding; i++) {
      check(
          columns.key(columns.count + i) == Keys.PADDING,
          invariant,
          "the key in slot %d, behind the %d entries of the %s, is %d",
          columns.count + i,
          columns.count,
          name,
          columns.key(columns.count + i));
    }
  }

  private void report(long slot) {
    if (slot % REPORT_EVERY == 0 && !listener.onProgress(slot, tree.size())) {
      throw new CancellationException("verify cancelled after " + slot + " entries");
    }
  }

  private void checkLevels() {
    int levels = directory.levels(array.count);
    check(
        directory.levels == levels,
        "I3",
        "there are %d levels, not %d for %d entries",
        directory.levels,
        levels,
        array.count);
    long nodes = directory.leaves(array.count);
    for (int level = levels; level >= 0; level--) {
      check(
          directory.levelNodes[level] == nodes,
          "I3",
          "level %d from the root has %d nodes, not %d",
          level,
          directory.levelNodes[level],
          nodes);
      nodes = (nodes + directory.fanOut - 1) / directory.fanOut;
    }
    long offset = 0;
    for (int level = 0; level < levels; level++) {
      check(
          directory.levelOffset[level] == offset,
          "I3",
          "level %d from the root begins @%d, not @%d",
          level,
          directory.levelOffset[level],
          offset);
      offset += directory.levelBytes(level);
    }
    check(
        offset <= directory.nodes.byteSize(),
        "I3",
        "the levels end @%d, beyond their memory of %d bytes",
        offset,
        directory.nodes.byteSize());
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
      check(
          directory.separator(level, node, i) == expected,
          "I4",
          "slot %d of node %d on level %d from the root is %d, not %d",
          i,
          node,
          level,
          directory.separator(level, node, i),
          expected);
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

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
