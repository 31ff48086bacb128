// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.IndexOptions;
import dev.espalier.memory.MemoryUse;
import dev.espalier.memory.NodeMemory;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What trees do alike whose nodes lie in one {@link NodeMemory}. */
public abstract class MemoryTree extends IndexStructure {
  public final IndexOptions options;
  public final NodeMemory memory;

  /** The nodes; read anew after every allocation. */
  public MemorySegment nodes;

  /** Address of the nodes' first byte, for prefetching. */
  public long base;

  public long root;

  /** Number of entries. */
  public long size;

  /** Counts the changes after which a cursor's place may no longer be where it was. */
  public final ChangeCount modifications = new ChangeCount();

  /** Counts the changes after which the places of buffered probes may be void. */
  public final LevelChanges levelChanges;

  /** Creates the memory, without nodes. */
  protected MemoryTree(IndexOptions options, int maxHeight) {
    this.options = Objects.requireNonNull(options, "options");
    this.memory = new NodeMemory(options.memoryLimit(), options.hugePages());
    this.nodes = memory.segment();
    this.levelChanges = new LevelChanges(maxHeight + 1);
  }

  /** Makes the empty tree in memory without nodes. */
  protected abstract void plant();

  /**
   * Allocates the lines of a node, or of several side by side, and follows the memory if it has
   * moved, as cursors then have to.
   */
  public final long allocate(int lines) {
    long node = memory.allocate(lines);
    modifications.changes++; // What needs the node may yet be refused another.
    nodes = memory.segment();
    base = nodes.address();
    return node;
  }

  @Override
  public final long size() {
    return size;
  }

  @Override
  public final void clear() {
    checkOpen();
    modifications.changes++;
    levelChanges.changedAll();
    memory.clear();
    plant();
  }

  @Override
  protected final long memoryLimit() {
    return memory.limit();
  }

  /** Returns the options of a {@link #twin}, or null if so little memory is not allowed. */
  protected final @Nullable IndexOptions twinOptions(long limit) {
    return limit < IndexOptions.MIN_MEMORY_LIMIT ? null : options.withMemoryLimit(limit);
  }

  @Override
  protected void adopt(IndexStructure twin) {
    MemoryTree other = (MemoryTree) twin;
    memory.adopt(other.memory);
    nodes = memory.segment();
    base = nodes.address();
    root = other.root;
    size = other.size;
    modifications.changes++;
    levelChanges.changedAll();
  }

  @Override
  public final MemoryUse memory() {
    return memory;
  }

  @Override
  public final void expectTornReads() {
    memory.expectReaders();
  }

  @Override
  public final boolean isClosed() {
    return memory.isClosed();
  }

  @Override
  public final void close() {
    memory.close();
  }
}
