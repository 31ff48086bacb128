// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import dev.espalier.model.Geometries.NodeKind;

/** What the cost model is told of the nodes of this package, in full node groups. */
final class CsbNodeKinds {
  /** A lookup touches all lines: the group's reference is on the first, the rest are separators. */
  static final NodeKind INNER =
      new NodeKind(width -> new CsbInnerNode(width, 1).maxChildren, width -> width);

  /** A lookup touches all lines of keys, and one of values. */
  static final NodeKind LEAF =
      new NodeKind(
          width -> new CsbLeafNode(width).capacity,
          width -> Math.min(width, new CsbLeafNode(width).keyLines + 1));

  private CsbNodeKinds() {}
}
