// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import java.util.Objects;

/**
 * A page of a tree, for inspection: read once, when the view is made. Of an inner page it shows the
 * children, not the messages.
 */
final class BEpsilonNodeView implements NodeView {
  private final BEpsilonStructure tree;
  private final long offset;
  private final int level;

  /** Of a leaf the entries; of an inner page the separators, and the children. */
  private final long[] keys;

  private final long[] payloads;

  private BEpsilonNodeView(
      BEpsilonStructure tree, long offset, int level, long[] keys, long[] payloads) {
    this.tree = tree;
    this.offset = offset;
    this.level = level;
    this.keys = keys;
    this.payloads = payloads;
  }

  /** What can't be is refused: who looks at all children would not come to an end. */
  static BEpsilonNodeView of(BEpsilonStructure tree, int page, int level) {
    if (!tree.store.isInUse(page)) {
      throw new InvariantViolationException("I7", "page " + page + " is not in use");
    }
    long at = tree.store.pin(page);
    try {
      int itsLevel = NodePage.level(tree.pages, at);
      int count = NodePage.count(tree.pages, at);
      int least = level == 0 ? 0 : 1;
      int most = level == 0 ? tree.leaf.capacity : tree.inner.fanout;
      if (itsLevel != level || count < least || count > most) {
        throw new InvariantViolationException(
            itsLevel != level ? "I1" : "I2",
            "page %d of level %d has level %d and count %d of %d"
                .formatted(page, level, itsLevel, count, most));
      }
      long[] keys = new long[level == 0 ? count : count - 1];
      long[] payloads = new long[count];
      for (int i = 0; i < keys.length; i++) {
        keys[i] =
            level == 0 ? LeafPage.key(tree.pages, at, i) : InnerPage.separator(tree.pages, at, i);
      }
      for (int i = 0; i < count; i++) {
        payloads[i] =
            level == 0 ? tree.leaf.value(tree.pages, at, i) : tree.inner.child(tree.pages, at, i);
      }
      return new BEpsilonNodeView(tree, at, level, keys, payloads);
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
    return tree.store.pageBytes();
  }

  @Override
  public int capacity() {
    return level == 0 ? tree.leaf.capacity : tree.inner.fanout - 1;
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
    return level == 0 ? 0 : payloads.length;
  }

  @Override
  public NodeView child(int i) {
    return of(tree, (int) payloads[Objects.checkIndex(i, children())], level - 1);
  }
}
