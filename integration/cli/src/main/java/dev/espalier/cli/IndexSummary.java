// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.IoStatus;
import dev.espalier.io.StoreDescription;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The index in a file and the store around it, as of the last checkpoint. */
record IndexSummary(StoreDescription store, StoreDescription.Index index) {

  /**
   * Returns an index of a store.
   *
   * @param name empty for the only one
   * @throws CommandFailure if it has none of that name, or several and none is named
   */
  static IndexSummary of(StoreDescription store, Optional<String> name) {
    List<String> names = store.indexes().stream().map(StoreDescription.Index::name).toList();
    if (name.isEmpty() && names.size() == 1) {
      return new IndexSummary(store, store.indexes().getFirst());
    }
    if (name.isEmpty()) {
      throw new CommandFailure(
          names.isEmpty()
              ? store.path() + ": holds no index"
              : "%s: holds several indexes; name one with --index: %s"
                  .formatted(store.path(), String.join(", ", names)));
    }
    int place = names.indexOf(name.get());
    if (place < 0) {
      throw new CommandFailure(
          "%s: holds no index '%s'; it has: %s"
              .formatted(store.path(), name.get(), String.join(", ", names)));
    }
    return new IndexSummary(store, store.indexes().get(place));
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

  long logBytes() {
    return store.logBytes();
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

  boolean hasByteStrings() {
    return index.hasByteStrings();
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
