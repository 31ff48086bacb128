// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A level of a COLA, to look at: one node, whose only child is the level behind it. */
final class ColaNodeView implements NodeView {
  private final ColaStructure tree;
  private final int number;
  private final Level level;

  /** Level 0 as it is when it is in order. */
  private final MemorySegment copy;

  ColaNodeView(ColaStructure tree, int number) {
    this.tree = tree;
    this.number = number;
    this.copy =
        number > 0 ? MemorySegment.NULL : Arena.ofAuto().allocate(tree.layout.bytes, Long.BYTES);
    this.level =
        number == 0
            ? tree.copyTop(new TopPage(tree.layout, tree.batch), copy, 0)
            : tree.levels[number];
    if (level.elements() < 0 || level.elements() > (long) level.pages() * tree.layout.capacity) {
      throw new InvariantViolationException(
          "I7",
          "level %d has %d elements in %d pages"
              .formatted(number, level.elements(), level.pages()));
    }
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
    return tree.depth - number;
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
    if (number == 0) {
      return key ? tree.layout.key(copy, 0, i) : tree.layout.value(copy, 0, i);
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
    return number < tree.depth ? 1 : 0;
  }

  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    return new ColaNodeView(tree, number + 1);
  }
}
