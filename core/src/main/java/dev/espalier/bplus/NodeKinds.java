// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.model.Geometries.NodeKind;

/** What the cost model is told of the nodes of this package. */
final class NodeKinds {
  /** A lookup touches all lines of separators, and one of children. */
  static final NodeKind INNER =
      new NodeKind(
          width -> new InnerNode(width).capacity + 1,
          width -> Math.min(width, new InnerNode(width).keyLines + 1));

  /** A lookup touches all lines of keys, and one of values. */
  static final NodeKind LEAF =
      new NodeKind(
          width -> new LeafNode(width).capacity,
          width -> Math.min(width, new LeafNode(width).keyLines + 1));

  private NodeKinds() {}
}
