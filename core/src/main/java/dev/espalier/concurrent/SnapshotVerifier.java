// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.ProgressListener;
import dev.espalier.memory.CacheLine;
import dev.espalier.support.LineClaims;
import dev.espalier.support.Verifier;
import java.lang.foreign.MemorySegment;

/**
 * Checks a snapshot in one pass, while others write to its tree: keys ascend (I1) within their
 * parents' bounds (I2), counts are possible (I4), there are as many entries as there were (I6), and
 * each line belongs to one node at most (I9), so the pass ends whatever the damage.
 */
final class SnapshotVerifier extends Verifier {
  private final SnapshotStructure snapshot;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final LineClaims claims;

  private SnapshotVerifier(SnapshotStructure snapshot, ProgressListener listener) {
    super(listener, snapshot.size());
    this.snapshot = snapshot;
    this.leaf = snapshot.leaf();
    this.inner = snapshot.inner();
    this.claims = new LineClaims("I9", snapshot.end);
  }

  static void verify(SnapshotStructure snapshot, ProgressListener listener) {
    SnapshotVerifier verifier = new SnapshotVerifier(snapshot, listener);
    verifier.visit(snapshot.root, snapshot.rootLevel, Long.MIN_VALUE, Long.MAX_VALUE);
    checkEqual("I6", verifier.entries(), snapshot.size(), "the number of entries");
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(long node, int level, long low, long high) {
    int width = level == 0 ? leaf.width : inner.width;
    claims.claim(node, width, level == 0 ? "leaf" : "inner node");
    MemorySegment image = MemorySegment.ofArray(new long[width * CacheLine.LONGS]);
    snapshot.read(node, width, image);
    int count = level == 0 ? leaf.count(image, 0) : inner.count(image, 0);
    int capacity = level == 0 ? leaf.capacity : inner.capacity;
    checkRange("I4", count, 0, capacity, "the count of the node @%d of level %d", node, level);
    long childLow = low;
    for (int i = 0; i < count; i++) {
      long key = level == 0 ? leaf.key(image, 0, i) : inner.key(image, 0, i);
      check(i == 0 || key >= childLow, "I1", "key %d @%d is not above its predecessor", key, node);
      check(key >= childLow && key <= high, "I2", "key %d @%d is out of bounds", key, node);
      if (level > 0) {
        visit(inner.child(image, 0, i), level - 1, childLow, key);
      }
      if (key == Long.MAX_VALUE) {
        check(level == 0 && i == count - 1, "I1", "key %d @%d is not the last", key, node);
      } else {
        childLow = key + 1;
      }
    }
    if (level == 0) {
      count(count);
    } else {
      visit(inner.child(image, 0, count), level - 1, childLow, high);
    }
  }
}
