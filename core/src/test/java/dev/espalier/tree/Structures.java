// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.LongIndex;

/** Where tests find the structure behind an index. */
public final class Structures {
  private Structures() {}

  /** Returns the structure of a tree, which is of that type. */
  public static <S extends IndexStructure> S of(LongIndex index, Class<S> type) {
    return type.cast(((AbstractIndex) index).structure);
  }
}
