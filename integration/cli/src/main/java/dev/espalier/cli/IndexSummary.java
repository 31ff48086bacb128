// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.IoStatus;
import dev.espalier.io.StoreDescription;
import java.nio.file.Path;

/** The index in a file and the store around it, as of the last checkpoint. */
record IndexSummary(StoreDescription store, StoreDescription.Index index) {

  /**
   * Returns the one index of a store.
   *
   * @throws CommandFailure if it has none, or several
   */
  static IndexSummary of(StoreDescription store) {
    if (store.indexes().size() != 1) {
      throw new CommandFailure(
          "%s: holds %d indexes; this command reads files with one"
              .formatted(store.path(), store.indexes().size()));
    }
    return new IndexSummary(store, store.indexes().getFirst());
  }

  Path path() {
    return store.path();
  }

  int version() {
    return store.version();
  }

  int pageBytes() {
    return store.pageBytes();
  }

  int stripes() {
    return store.stripes();
  }

  boolean isClean() {
    return store.isClean();
  }

  IoStatus engine() {
    return store.engine();
  }

  String kind() {
    return index.kind();
  }

  String codecs() {
    return index.codecs();
  }

  int pages() {
    return index.pages();
  }

  int freePages() {
    return index.freePages();
  }

  int height() {
    return index.height();
  }

  /** Returns the number of entries, -1 if the tree does not keep count. */
  long entries() {
    return index.entries();
  }
}
