// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The top, a level or an array of a COLA, to look at: one node, whose only child is the next older
 * one.
 */
final class LevelNodeView implements NodeView {
  private final MessageLevels tree;

  /** The newest first. */
  private final Level[] sources;

  private final int number;
  private final Level level;

  /** The top as it is when it is in order; nothing if it always is. */
  private final MemorySegment orderedTop;

  private LevelNodeView(MessageLevels tree, Level[] sources, int number, MemorySegment orderedTop) {
    this.tree = tree;
    this.sources = sources;
    this.number = number;
    this.level = sources[number];
    this.orderedTop = orderedTop;
    if (level.elements() < 0 || level.elements() > (long) level.pages() * tree.layout.capacity) {
      throw new InvariantViolationException(
          "I7",
          "level %d has %d elements in %d pages"
              .formatted(number, level.elements(), level.pages()));
    }
  }

  /** Returns level 0 of a COLA, put in order, before the levels that are there now. */
  static LevelNodeView root(ColaStructure tree) {
    MemorySegment top = Arena.ofAuto().allocate(tree.layout.bytes, Long.BYTES);
    Level[] sources = new Level[tree.depth + 1];
    sources[0] = tree.copyTop(new TopPage(tree.layout, tree.batch), top, 0);
    System.arraycopy(tree.levels, 1, sources, 1, tree.depth);
    return new LevelNodeView(tree, sources, 0, top);
  }

  /** Returns the top of a deamortized COLA, before the arrays that are there now. */
  static LevelNodeView root(DeamortizedStructure tree) {
    Level[] sources = new Level[tree.sources()];
    tree.sources(sources);
    return new LevelNodeView(tree, sources, 0, MemorySegment.NULL);
  }

  @Override
  public long offset() {
    return (level.firstPage() - 1L) * tree.layout.bytes;
  }

  @Override
  public long bytes() {
    return (long) level.pages() * tree.layout.bytes;
  }

  @Override
  public int level() {
    return sources.length - 1 - number;
  }

  @Override
  public boolean holdsEntries() {
    return true;
  }

  /** Returns the number of elements, pointers included. */
  @Override
  public int count() {
    return (int) Math.min(level.elements(), Integer.MAX_VALUE);
  }

  @Override
  public int capacity() {
    return (int) Math.min((long) level.pages() * tree.layout.capacity, Integer.MAX_VALUE);
  }

  @Override
  public long key(int i) {
    return read(i, true);
  }

  /** Returns the value of a put, or what {@link ElementPage} says of others. */
  @Override
  public long value(int i) {
    return read(i, false);
  }

  private long read(int i, boolean key) {
    Objects.checkIndex(i, count());
    if (number == 0 && orderedTop.byteSize() > 0) {
      return key ? tree.layout.key(orderedTop, 0, i) : tree.layout.value(orderedTop, 0, i);
    }
    int page = level.firstPage() + i / tree.layout.capacity;
    PageStore store = tree.store;
    if (!store.isInUse(page)) {
      throw new InvariantViolationException("I9", "page " + page + " is not in use");
    }
    int slot = i % tree.layout.capacity;
    long at = store.pin(page);
    long word =
        key ? tree.layout.key(tree.pages, at, slot) : tree.layout.value(tree.pages, at, slot);
    store.unpin(at, false);
    return word;
  }

  @Override
  public int children() {
    return number < sources.length - 1 ? 1 : 0;
  }

  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    return new LevelNodeView(tree, sources, number + 1, orderedTop);
  }
}
