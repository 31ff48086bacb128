// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

/** Prints a tree node by node, indented by depth, for tests and for people. */
public final class TreePrinter {
  private final int mostNodes;
  private final StringBuilder out = new StringBuilder();
  private int nodes;

  private TreePrinter(int mostNodes) {
    this.mostNodes = mostNodes;
  }

  /**
   * Returns a picture of the tree below {@code root}: a line per node with its level, offset, count
   * of capacity, and keys.
   *
   * @param mostNodes how many nodes to print before stopping with "..."
   */
  public static String print(NodeView root, int mostNodes) {
    TreePrinter printer = new TreePrinter(mostNodes);
    printer.visit(root, 0);
    return printer.out.toString();
  }

  private void visit(NodeView node, int depth) {
    if (nodes == mostNodes) {
      out.append("...\n");
    }
    if (nodes++ >= mostNodes) {
      return;
    }
    out.append("  ".repeat(depth))
        .append(node.level() == 0 ? "leaf" : "inner " + node.level())
        .append(" @")
        .append(node.offset())
        .append(' ')
        .append(node.count())
        .append('/')
        .append(node.capacity())
        .append(':');
    for (int i = 0; i < node.count(); i++) {
      out.append(' ').append(node.key(i));
      if (node.holdsEntries()) {
        out.append('=').append(node.value(i));
      }
    }
    out.append('\n');
    for (int i = 0; i < node.children(); i++) {
      visit(node.child(i), depth + 1);
    }
  }
}
