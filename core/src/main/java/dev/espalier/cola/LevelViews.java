// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import java.lang.foreign.MemorySegment;

/**
 * The top and the levels or arrays of a COLA, to look at: each is one node, whose only child is the
 * next older one.
 */
final class LevelViews {
  private final MessageLevels tree;

  /** The newest first. */
  private final Level[] sources;

  /** The top as it is when it is in order; nothing if it always is. */
  private final MemorySegment orderedTop;

  LevelViews(MessageLevels tree, Level[] sources, MemorySegment orderedTop) {
    this.tree = tree;
    this.sources = sources;
    this.orderedTop = orderedTop;
  }

  /** Returns a source as a node; its keys are those of all elements, pointers included. */
  NodeView node(int number) {
    Level level = sources[number];
    ElementPage layout = tree.layout;
    long capacity = (long) level.pages() * layout.capacity;
    if (level.elements() < 0 || level.elements() > capacity) {
      throw new InvariantViolationException(
          "I7",
          "level %d has %d elements in %d pages"
              .formatted(number, level.elements(), level.pages()));
    }
    int older = sources.length - 1 - number;
    return NodeView.withEntries(
            (level.firstPage() - 1L) * layout.bytes,
            (long) level.pages() * layout.bytes,
            older,
            (int) Math.min(level.elements(), Integer.MAX_VALUE),
            (int) Math.min(capacity, Integer.MAX_VALUE),
            i -> read(number, i, true),
            i -> read(number, i, false))
        .over(older > 0 ? 1 : 0, i -> node(number + 1));
  }

  /** Reads a key, or the value of a put, or what {@link ElementPage} says of others. */
  private long read(int number, int i, boolean key) {
    ElementPage layout = tree.layout;
    if (number == 0 && orderedTop.byteSize() > 0) {
      return key ? layout.key(orderedTop, 0, i) : layout.value(orderedTop, 0, i);
    }
    int page = sources[number].firstPage() + i / layout.capacity;
    if (!tree.store.isInUse(page)) {
      throw new InvariantViolationException("I9", "page " + page + " is not in use");
    }
    int slot = i % layout.capacity;
    long at = tree.store.pin(page);
    long word = key ? layout.key(tree.pages, at, slot) : layout.value(tree.pages, at, slot);
    tree.store.unpin(at, false);
    return word;
  }
}
