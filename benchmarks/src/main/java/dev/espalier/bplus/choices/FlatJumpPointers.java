// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.support.LineClaims;
import java.util.Arrays;

/** The flat jump-pointer array: the leaves' line numbers, one after the other. */
final class FlatJumpPointers implements JumpPointerArray {
  /* Overview
   *
   * A place is an index. A leaf's hint is the index it had when its pointer was last written; later
   * splits before it make the hint stale, and then a binary search over the first keys of the leaves
   * finds the index. An insert moves all pointers behind it, half of the array in the mean.
   *
   * Deviation from thesis 3.6:
   *   D8  The array is a Java array: without bound and in one piece, which node memory is not meant
   *       for. The index's memory limit does not count it, and Trace does not see it.
   */

  private final BPlusStructure tree;
  private final LeafNode leaf;

  /** The leaves, of which there are {@link #count}. */
  int[] lines = new int[16];

  int count;

  FlatJumpPointers(BPlusStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
  }

  // ---------------------------------------------------------------- insert

  @Override
  public void planted(long leafOffset) {
    count = 0;
    insertAt(0, leafOffset);
  }

  @Override
  public void loading(long leafOffset) {
    planted(leafOffset);
  }

  @Override
  public void splitting(long left) {
    if (count == lines.length) {
      lines = Arrays.copyOf(lines, 2 * count);
    }
  }

  @Override
  public void split(long left, long right) {
    insertAt(indexOf(left) + 1, right);
  }

  @Override
  public void loaded(long last, long leafOffset) {
    splitting(last);
    insertAt(count, leafOffset);
  }

  private void insertAt(int index, long leafOffset) {
    System.arraycopy(lines, index, lines, index + 1, count - index);
    lines[index] = InnerNode.toLine(leafOffset);
    leaf.hint(tree.nodes, leafOffset, index);
    count++;
  }

  // ---------------------------------------------------------------- delete

  @Override
  public void merged(long left, long right) {
    int index = indexOf(left) + 1;
    if (index == count || lines[index] != InnerNode.toLine(right)) {
      throw JumpPointerArray.notListed(right);
    }
    System.arraycopy(lines, index + 1, lines, index, count - index - 1);
    count--;
  }

  // ---------------------------------------------------------------- search

  private int indexOf(long leafOffset) {
    long place = placeOf(leafOffset);
    if (place == NO_PLACE) {
      throw JumpPointerArray.notListed(leafOffset);
    }
    return (int) place;
  }

  @Override
  public long placeOf(long leafOffset) {
    int line = InnerNode.toLine(leafOffset);
    int hint = leaf.hint(tree.nodes, leafOffset);
    if (hint >= 0 && hint < count && lines[hint] == line) {
      return hint;
    }
    int index = lowerBound(leaf.key(tree.nodes, leafOffset, 0));
    return index < count && lines[index] == line ? index : NO_PLACE;
  }

  /** Returns the number of leaves whose first key is smaller. An empty leaf's is the padding. */
  private int lowerBound(long key) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (leaf.key(tree.nodes, leafAt(middle), 0) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public long step(long place, int direction) {
    long next = place + direction;
    return next >= 0 && next < count ? next : NO_PLACE;
  }

  @Override
  public long leafAt(long place) {
    return InnerNode.toOffset(lines[(int) place]);
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public Inspection inspect(LineClaims claims) {
    return new Verifier();
  }

  private final class Verifier implements Inspection {
    private int visited;

    @Override
    public void visit(long leafOffset) {
      if (visited == count || lines[visited] != InnerNode.toLine(leafOffset)) {
        throw new InvariantViolationException(
            "I11", "the array does not list the leaf @%d as %d.".formatted(leafOffset, visited));
      }
      visited++;
    }

    @Override
    public void end() {
      if (visited != count) {
        throw new InvariantViolationException(
            "I11", "the array lists %d leaves, but there are %d".formatted(count, visited));
      }
    }
  }
}
