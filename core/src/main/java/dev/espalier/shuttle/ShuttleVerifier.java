// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.ProgressListener;
import dev.espalier.memory.CacheLine;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.LineClaims;
import dev.espalier.support.Message;
import dev.espalier.support.Verifier;
import java.lang.foreign.MemorySegment;

/**
 * Checks the invariants I1 to I11 of {@link ShuttleStructure}: first the tree from the root down,
 * then the order of its elements in memory, last the counts. Built to survive any damage: it
 * follows no reference that it has not checked, visits no line twice, and goes no deeper than the
 * height, which it checks first.
 */
final class ShuttleVerifier extends Verifier {
  private final ShuttleStructure tree;
  private final PackedArray array;
  private final MemorySegment nodes;
  private final ShuttleLayout layout;
  private final LineClaims claims;

  private long elements;
  private long messages;

  private ShuttleVerifier(ShuttleStructure tree, ProgressListener listener) {
    super(listener, tree.settled);
    this.tree = tree;
    this.array = tree.array;
    this.nodes = array.nodes;
    this.layout = tree.layout;
    long end = Math.min(array.capacity << CacheLine.SHIFT, nodes.byteSize());
    this.claims = new LineClaims("I8", end);
  }

  static void verify(ShuttleStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new ShuttleVerifier(tree, listener).run();
  }

  private void run() {
    checkRange("I1", tree.height, 1, BufferSchedule.MAX_HEIGHT, "the height");
    visit(array.root, tree.height, 0, Long.MIN_VALUE, Long.MAX_VALUE);
    checkCounts();
    checkOrder();
    checkMemory();
  }

  // ---------------------------------------------------------------- tree

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(long node, int height, long parent, long low, long high) {
    checkPlace(node, layout.nodeLines(height));
    checkEqual("I1", layout.height(nodes, node), height, "the height of the node @%d", node);
    checkElement(node, layout.nodeLines(height), parent);
    int count = layout.count(nodes, node);
    if (height == 1) {
      checkWeight(node, height, 1);
      checkCount(node, count, 0, layout.leafEntries);
      checkKeys(node, count, low, high);
      count(count);
      return;
    }
    checkCount(node, count, 1, layout.maxChildren - 1);
    checkSeparators(node, count, low, high);
    long weight = 0;
    for (int i = 0; i < count; i++) {
      long from = i == 0 ? low : layout.separator(nodes, node, i - 1) + 1;
      long to = i == count - 1 ? high : layout.separator(nodes, node, i);
      visitEdge(node, height, i, from, to);
      long child = layout.child(nodes, node, i);
      visit(child, height - 1, node, from, to);
      weight += layout.weight(nodes, child);
    }
    checkUnusedReferences(node, height, count);
    checkWeight(node, height, weight);
  }

  private void checkPlace(long element, int size) {
    claims.claim(element, size, "element");
    elements++;
  }

  private void checkElement(long element, int size, long parent) {
    checkEqual("I8", layout.lines(nodes, element), size, "the lines of the element @%d", element);
    checkEqual("I9", layout.parent(nodes, element), parent, "the parent of @%d", element);
  }

  private void checkCount(long element, int count, int least, int most) {
    checkRange("I5", count, least, most, "the count of the element @%d", element);
  }

  private void checkWeight(long node, int height, long weight) {
    boolean isLight = node != array.root && 4 * weight < layout.power(height);
    check(
        layout.weight(nodes, node) == weight && weight <= layout.mostWeight(height) && !isLight,
        "I2",
        "the node @%d of height %d has weight %d, and %d leaves",
        node,
        height,
        layout.weight(nodes, node),
        weight);
  }

  private void checkKeys(long element, int count, long low, long high) {
    for (int i = 0; i < count; i++) {
      long key = ShuttleLayout.key(nodes, element, i);
      check(
          key >= low && key <= high && (i == 0 || ShuttleLayout.key(nodes, element, i - 1) < key),
          "I3",
          "in the element @%d, key %d of slot %d is out of order, or not from %d to %d",
          element,
          key,
          i,
          low,
          high);
    }
  }

  private void checkSeparators(long node, int count, long low, long high) {
    long least = low;
    for (int i = 0; i < layout.keySlots; i++) {
      long key = layout.separator(nodes, node, i);
      boolean holds = i < count - 1 ? key >= least && key < high : key == Long.MAX_VALUE;
      check(holds, "I3", "in the node @%d, separator %d of slot %d is wrong", node, key, i);
      least = i < count - 1 ? key + 1 : least;
    }
  }

  private void visitEdge(long node, int height, int i, long low, long high) {
    for (int list = 0; list < layout.lists(height); list++) {
      long chunk = layout.buffer(nodes, node, list, i);
      check(chunk != 0, "I4", "edge %d of the node @%d lacks buffer %d", i, node, list);
      checkPlace(chunk, layout.chunkLines(height, list));
      check(
          layout.height(nodes, chunk) == 0 && layout.list(nodes, chunk) == list,
          "I4",
          "buffer %d of edge %d of the node @%d is number %d, of height %d",
          list,
          i,
          node,
          layout.list(nodes, chunk),
          layout.height(nodes, chunk));
      checkElement(chunk, layout.chunkLines(height, list), node);
      checkMessages(chunk, layout.chunkCapacity(height, list), low, high);
    }
  }

  private void checkMessages(long chunk, int capacity, long low, long high) {
    int count = layout.count(nodes, chunk);
    checkCount(chunk, count, 0, capacity);
    checkKeys(chunk, count, low, high);
    for (int i = 0; i < count; i++) {
      int kind = ShuttleLayout.kind(nodes, chunk, capacity, i);
      check(
          kind == Message.PUT || kind == Message.DELETE,
          "I6",
          "message %d of the buffer @%d is of kind %d",
          i,
          chunk,
          kind);
    }
    messages += count;
  }

  /** Behind the last child there are neither children nor buffers. */
  private void checkUnusedReferences(long node, int height, int count) {
    for (int list = 0; list <= layout.lists(height); list++) {
      for (int i = count; i < layout.maxChildren; i++) {
        check(
            layout.child(nodes, node, list * layout.maxChildren + i) == 0,
            "I4",
            "the node @%d with %d children refers to more",
            node,
            count);
      }
    }
  }

  // ---------------------------------------------------------------- the whole

  private void checkCounts() {
    checkEqual("I7", entries(), tree.settled, "the number of entries in leaves");
    checkEqual("I7", messages, tree.messages, "the number of messages");
    checkDead("I11", tree.dead, new ShuttleCursor(tree, new DeadRanges()));
    if (tree.size >= 0) {
      checkEqual("I7", tree.countEntries(), tree.size, "the number of keys");
    }
  }

  /** The tree is sound by now, so that it can be listed. */
  private void checkOrder() {
    LayoutOrder order = new LayoutOrder(layout, nodes, elements, elementLines());
    order.addTree(array.root, tree.height);
    checkEqual("I8", order.count, elements, "the number of elements in order");
    long before = 0;
    for (int i = 0; i < order.count; i++) {
      long element = order.elements[i];
      long after = i + 1 < order.count ? order.elements[i + 1] : 0;
      check(
          element > before
              && layout.previous(nodes, element) == before
              && layout.next(nodes, element) == after
              && layout.forward(nodes, element) == 0,
          "I8",
          "the element @%d lies between @%d and @%d, not between @%d and @%d",
          element,
          layout.previous(nodes, element),
          layout.next(nodes, element),
          before,
          after);
      before = element;
    }
    check(
        array.first == order.elements[0] && array.last == before,
        "I8",
        "the array begins with @%d and ends with @%d",
        array.first,
        array.last);
  }

  private long elementLines() {
    return claims.bytes() >>> CacheLine.SHIFT;
  }

  private void checkMemory() {
    checkEqual("I10", elements, array.elements, "the number of elements");
    checkEqual("I10", elementLines(), array.used, "the number of their lines");
    long taken = (array.capacity << CacheLine.SHIFT) + tree.stack.bytes();
    check(
        array.used < array.capacity
            && taken == tree.budget.taken()
            && taken <= tree.options.memoryLimit(),
        "I10",
        "%d bytes are taken, %d accounted for, and the limit is %d",
        taken,
        tree.budget.taken(),
        tree.options.memoryLimit());
  }
}
