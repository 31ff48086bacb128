// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.concurrent.NodeCopies.Need;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.NodeMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The open snapshots of a tree: what writers owe them, and what becomes of them. */
final class Snapshots {
  private final ConcurrentStructure tree;

  /** All that are open. */
  private final Set<SnapshotStructure> open = new LinkedHashSet<>();

  /**
   * Those whose nodes are nodes of the tree, which writers have to copy before they change them;
   * null if there are none. Changes only while nobody writes.
   */
  private SnapshotStructure @Nullable [] attached;

  Snapshots(ConcurrentStructure tree) {
    this.tree = tree;
  }

  /** Memory that the tree has left, with the nodes of snapshots. */
  static final class FormerMemory {
    private final NodeMemory.Left left;
    private int users;

    FormerMemory(NodeMemory.Left left, int users) {
      this.left = left;
      this.users = users;
    }

    MemorySegment segment() {
      return left.segment();
    }
  }

  /** Tells whether there are snapshots that share nodes with the tree. */
  boolean areAttached() {
    return attached != null;
  }

  /**
   * Keeps a latched node for the snapshots, before it is changed; within a write.
   *
   * @return false if there is no memory for that; the node must then stay as it is
   */
  boolean keep(long node, int width) {
    SnapshotStructure[] those = attached;
    return those == null || keep(those, node, width, Need.WITHIN_LIMIT);
  }

  /** As {@link #keep}, for a removal: the copies may take memory beyond the limit. */
  boolean keepForRemoval(long node, int width) {
    SnapshotStructure[] those = attached;
    return those == null || keep(those, node, width, Need.BEYOND_LIMIT);
  }

  private boolean keep(SnapshotStructure[] those, long node, int width, Need need) {
    for (SnapshotStructure snapshot : those) {
      if (!snapshot.copies.keep(tree.nodes, node, width, need)) {
        return false;
      }
    }
    return true;
  }

  /** Returns what is thrown where {@link #keep} returns false. */
  RuntimeException refusal() {
    tree.checkOpen();
    return new MemoryLimitException(
        "there is no memory left to keep a node as it was for a snapshot; the limit of the index is"
            + " "
            + tree.pool.memory().limit()
            + " bytes");
  }

  /** Takes a snapshot, for which writers wait. */
  SnapshotStructure take() {
    tree.checkOpen();
    SnapshotStructure[] taken = new SnapshotStructure[1];
    tree.gate.alone(() -> taken[0] = takeAlone());
    return taken[0];
  }

  private SnapshotStructure takeAlone() {
    SnapshotStructure snapshot = new SnapshotStructure(tree);
    synchronized (this) {
      tree.checkOpen(); // Whoever closes the tree closes those that are open by then.
      open.add(snapshot);
    }
    SnapshotStructure[] those = attached;
    if (those == null) {
      attached = new SnapshotStructure[] {snapshot};
    } else {
      attached = Arrays.copyOf(those, those.length + 1);
      attached[those.length] = snapshot;
    }
    return snapshot;
  }

  /** Closes a snapshot, for which writers wait. */
  void close(SnapshotStructure snapshot) {
    try {
      tree.gate.alone(() -> closeAlone(snapshot));
    } catch (IllegalStateException failed) {
      if (!tree.isClosed()) {
        throw failed;
      }
      release(snapshot);
    }
  }

  private void closeAlone(SnapshotStructure snapshot) {
    SnapshotStructure[] those = attached;
    if (those != null) {
      SnapshotStructure[] rest =
          Arrays.stream(those)
              .filter(other -> !other.equals(snapshot))
              .toArray(SnapshotStructure[]::new);
      attached = rest.length == 0 ? null : rest;
    }
    release(snapshot);
  }

  private synchronized void release(SnapshotStructure snapshot) {
    if (!open.remove(snapshot)) {
      return;
    }
    snapshot.release();
    FormerMemory former = snapshot.former;
    if (former != null && --former.users == 0) {
      tree.pool.free(former.left);
    }
  }

  /** Leaves the tree's memory to the snapshots, for a thread that has the tree alone. */
  void takeMemory() {
    SnapshotStructure[] those = attached;
    if (those == null) {
      return;
    }
    FormerMemory former = new FormerMemory(tree.pool.leave(), those.length);
    for (SnapshotStructure snapshot : those) {
      snapshot.former = former;
    }
    attached = null;
  }

  /** Closes all, after the tree. */
  synchronized void closeAll() {
    for (SnapshotStructure snapshot : Set.copyOf(open)) {
      release(snapshot);
    }
  }
}
