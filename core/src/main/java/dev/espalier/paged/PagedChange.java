// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inpage.PageScratch;
import dev.espalier.tree.StoreChange;

/** A change to a tree whose nodes are pages, with the memory that changing pages takes. */
final class PagedChange extends StoreChange {
  final PageScratch scratch;

  PagedChange(PagedStructure tree) {
    super(tree);
    scratch = tree.format.newScratch();
  }
}
