// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.Words;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Named damage to the nodes of a snapshot, each reported under the number of its invariant. */
class SnapshotVerifierTest {
  /** Changes made behind the back of the writers, which the snapshot therefore sees. */
  @Test
  void checkNamesWhatIsDamaged() {
    assertDamage(
        "I1", leaf -> (tree, node) -> leaf.key(tree.nodes, node, 0, leaf.key(tree.nodes, node, 1)));
    assertDamage("I2", leaf -> (tree, node) -> leaf.key(tree.nodes, node, 0, -1));
    assertDamage("I4", leaf -> (tree, node) -> leaf.count(tree.nodes, node, 99));
    assertDamage("I6", leaf -> (tree, node) -> leaf.count(tree.nodes, node, 1));
  }

  private interface Damage {
    void to(ConcurrentStructure tree, long node);
  }

  private static void assertDamage(String invariant, Function<VersionedLeaf, Damage> damage) {
    try (ConcurrentPbPlusTree index = SnapshotTest.tree(1, 1)) {
      SnapshotTest.fill(index, 100, 1);
      try (LongIndex snapshot = index.snapshot()) {
        snapshot.verify();
        long node = index.tree.latch(0, 50);
        damage.apply(index.tree.leaf).to(index.tree, node);
        Versions.unlatch(index.tree.nodes, node);
        InvariantViolationException found =
            assertThrows(InvariantViolationException.class, snapshot::verify);
        assertTrue(found.getMessage().contains(invariant), found.getMessage());
      }
    }
  }

  @Test
  void checkNamesNodesThatOverlap() {
    try (ConcurrentPbPlusTree index = SnapshotTest.tree(1, 1)) {
      SnapshotTest.fill(index, 100, 1);
      try (LongIndex snapshot = index.snapshot()) {
        VersionedInner inner = index.tree.inner;
        long root =
            ConcurrentStructure.nodeOf(Words.getLong(index.tree.nodes, ConcurrentStructure.ROOT));
        inner.child(index.tree.nodes, root, 1, inner.child(index.tree.nodes, root, 0));
        InvariantViolationException found =
            assertThrows(InvariantViolationException.class, snapshot::verify);
        assertTrue(found.getMessage().contains("I9"), found.getMessage());
      }
    }
  }
}
