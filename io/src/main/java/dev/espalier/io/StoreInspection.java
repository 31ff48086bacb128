// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ProgressListener;
import dev.espalier.paged.StoredTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks at the file of a store without opening its indexes. */
final class StoreInspection {
  private StoreInspection() {}

  /** Something that is done to a store whose catalogue was read. */
  @FunctionalInterface
  private interface Look<T> {
    T at(StoreState state);
  }

  static StoreDescription describe(Path path, FileOptions options) {
    return look(path, options, StoreInspection::describe);
  }

  static List<CorruptPageException> findDamage(
      Path path, FileOptions options, ProgressListener listener) {
    return look(path, options, state -> new DamageSearch(state).search(listener));
  }

  private static <T> T look(Path path, FileOptions options, Look<T> look) {
    FileOptions reading = options.withFlags(FileOption.LAST_CHECKPOINT);
    StoreOptions all = StoreOptions.DEFAULT.withFiles(reading);
    try (IndexStore store = new StoreOpening(path, all, StoreEnvironment.of(reading)).open()) {
      return look.at(store.state());
    }
  }

  private static StoreDescription describe(StoreState state) {
    List<StoreDescription.Index> indexes = new ArrayList<>();
    for (IndexPages index : state.indexes.values()) {
      int inUse = index.numbers.inUse();
      indexes.add(
          new StoreDescription.Index(
              index.name,
              index.kind,
              index.codecs,
              inUse,
              index.numbers.top() - inUse,
              StoredTree.height(index.meta),
              StoredTree.size(index.meta)));
    }
    StoreHeader header = state.header;
    return new StoreDescription(
        state.path,
        header.version(),
        header.pageBytes(),
        header.stripes(),
        header.checkpoint(),
        header.clean(),
        LogFiles.bytes(state.environment.files(), state.path),
        List.copyOf(indexes),
        state.file.status());
  }
}
