// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

/** Prints a tree node by node, indented by depth. */
public final class TreePrinter {
  private final int mostNodes;
  private final StringBuilder out = new StringBuilder();
  private int nodes;

  private TreePrinter(int mostNodes) {
    this.mostNodes = mostNodes;
  }

  /**
   * Returns the tree below {@code root} as text: a line per node with its level, offset, count and
   * capacity, keys, and the values of entries.
   *
   * @param mostNodes the most nodes to print; if there are more, the text ends with "..."
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
