// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import java.util.Objects;

/** A page of a structure, for inspection: read once, when the view is made. */
final class PagedNodeView implements NodeView {
  private final PagedStructure tree;
  private final long offset;
  private final int level;
  private final long[] keys;
  private final long[] payloads;

  private PagedNodeView(PagedStructure tree, long offset, int level, long[] keys, long[] payloads) {
    this.tree = tree;
    this.offset = offset;
    this.level = level;
    this.keys = keys;
    this.payloads = payloads;
  }

  /** What can't be is refused: who looks at all children would not come to an end. */
  static PagedNodeView of(PagedStructure tree, int page, int level) {
    if (!tree.store.isInUse(page)) {
      throw new InvariantViolationException("I7", "page " + page + " is not in use");
    }
    PageFormat format = tree.format;
    int capacity = level == 0 ? format.leafCapacity : format.innerCapacity;
    long at = tree.store.pin(page);
    try {
      int itsLevel = PageHeader.level(tree.pages, at);
      int count = PageHeader.count(tree.pages, at);
      if (itsLevel != level || count < 0 || count > capacity) {
        throw new InvariantViolationException(
            "I4",
            "page %d of level %d has level %d and count %d of %d"
                .formatted(page, level, itsLevel, count, capacity));
      }
      format.verify(tree.pages, at, page);
      long[] keys = new long[count];
      long[] payloads = new long[count];
      format.load(tree.pages, at, keys, payloads, 0);
      return new PagedNodeView(tree, at, level, keys, payloads);
    } finally {
      tree.store.unpin(at, false);
    }
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public int level() {
    return level;
  }

  @Override
  public int count() {
    return keys.length;
  }

  @Override
  public long bytes() {
    return tree.format.pageBytes;
  }

  @Override
  public int capacity() {
    return level == 0 ? tree.format.leafCapacity : tree.format.innerCapacity;
  }

  @Override
  public long key(int i) {
    return keys[Objects.checkIndex(i, keys.length)];
  }

  @Override
  public long value(int i) {
    return payloads[Objects.checkIndex(i, level == 0 ? keys.length : 0)];
  }

  @Override
  public int children() {
    return level == 0 ? 0 : keys.length;
  }

  @Override
  public NodeView child(int i) {
    return of(tree, (int) payloads[Objects.checkIndex(i, children())], level - 1);
  }
}
