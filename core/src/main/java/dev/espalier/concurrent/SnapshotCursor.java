// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.support.CursorMemory;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/** A cursor over a snapshot, on a copy of a leaf. Only the end of the snapshot can disturb it. */
final class SnapshotCursor extends LeafCursor {
  private final SnapshotStructure snapshot;
  private final VersionedLeaf leaf;
  private final MemorySegment image;

  /** The keys that belong into the leaf, from the lowest to the highest. */
  private final long[] bounds = new long[2];

  SnapshotCursor(SnapshotStructure snapshot) {
    super(snapshot.changes);
    this.snapshot = snapshot;
    this.leaf = snapshot.leaf();
    this.image = CursorMemory.allocate(leaf.bytes);
  }

  @Override
  protected void descend(long key) {
    checkOpen();
    bounds[0] = Long.MIN_VALUE;
    bounds[1] = Long.MAX_VALUE;
    long node = snapshot.root;
    for (int level = snapshot.rootLevel; level > 0; level--) {
      node = snapshot.child(node, key, bounds);
    }
    snapshot.read(node, leaf.width, image);
    enter(image, VersionedLeaf.KEYS_OFFSET, leaf.valuesOffset, leaf.count(image, 0));
    slot = lowerBound(key);
  }

  /** The last leaf may have lost all its entries where there was no memory for a merge. */
  @Override
  protected void descendToLast() {
    descend(Long.MAX_VALUE);
    if (entries == 0) {
      enterPreviousLeaf();
    }
  }

  @Override
  protected boolean enterNextLeaf() {
    while (bounds[1] != Long.MAX_VALUE) {
      descend(bounds[1] + 1);
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    while (bounds[0] != Long.MIN_VALUE) {
      descend(bounds[0] - 1);
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected void removeFromTree(long key) {
    throw snapshot.refusal();
  }

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    throw snapshot.refusal();
  }

  @Override
  protected void checkOpen() {
    snapshot.checkOpen();
  }
}
