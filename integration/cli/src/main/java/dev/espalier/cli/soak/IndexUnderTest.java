// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import dev.espalier.io.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An index that is compared with a map: in memory, or the only one of a store. */
final class IndexUnderTest implements AutoCloseable {
  /** What {@code get} returns for an absent key: not the default, so that forgetting it shows. */
  static final long MISSING = -7;

  private static final String NAME = "soak";

  /** Fewest frames of a pool: trees with one reader and one writer can do with them. */
  private static final int FEWEST_FRAMES = 12;

  /** How often the frames of a pool may be twice as many: up to 1,536 of them. */
  private static final int DOUBLINGS = 7;

  /** Of so many stores, one waits until what it forces is on the device. */
  private static final int STORES_OF_A_FORCED_ONE = 8;

  private final @Nullable Path folder;
  private final @Nullable StoreOptions options;
  private final CountedWrites writes;
  private @Nullable IndexStore store;
  private LongIndex index;

  /** Makes an empty index, if in a file, then in a new folder in {@code parent}. */
  IndexUnderTest(SoakShape shape, Path parent, SplittableRandom random) {
    PageFileOpener engine =
        random.nextBoolean() || !shape.isInFile() ? PageFiles.DIRECT : PageFiles.CHANNEL;
    boolean isForced = random.nextInt(STORES_OF_A_FORCED_ONE) == 0;
    writes = new CountedWrites(isForced ? engine : new UnforcedFiles(engine));
    if (!shape.isInFile()) {
      folder = null;
      options = null;
      index = shape.tree().create(IndexOptions.DEFAULT.withMissingValue(MISSING));
      return;
    }
    int pageBytes = shape.pageBytes() == 0 ? FileOptions.DEFAULT_PAGE_BYTES : shape.pageBytes();
    long frames = (long) FEWEST_FRAMES << random.nextInt(DOUBLINGS + 1);
    options =
        StoreOptions.DEFAULT
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES << random.nextInt(5))
            .withCheckpointBytes(1L << (16 + random.nextInt(7)))
            .withFiles(
                FileOptions.DEFAULT
                    .withMissingValue(MISSING)
                    .withVariant(shape.tree())
                    .withPageBytes(pageBytes)
                    .withPoolBytes((frames + 1) * pageBytes)
                    .withEngine(writes));
    try {
      folder = Files.createTempDirectory(parent, "soak-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    IndexStore made = IndexStore.open(folder.resolve("store.esp"), options);
    store = made;
    index = made.index(NAME, shape.tree());
  }

  LongIndex index() {
    return index;
  }

  boolean isInFile() {
    return store != null;
  }

  /** Closes the store and opens it again; returns whether there is one. */
  boolean reopen() {
    if (store == null || options == null) {
      return false;
    }
    Path path = store.path();
    store.close();
    IndexStore reopened = IndexStore.open(path, options);
    store = reopened;
    index = reopened.index(NAME);
    return true;
  }

  /** Commits, or makes a checkpoint, or gives room back; does nothing in memory. */
  void save(SplittableRandom random) {
    if (store != null) {
      switch (random.nextInt(4)) {
        case 0 -> store.commit();
        case 1 -> index.flush();
        case 2 -> store.checkpoint();
        default -> store.shrink();
      }
    }
  }

  /** Checks the structure, with all that belongs to a store. */
  void verify() {
    if (store == null) {
      index.verify();
    } else {
      store.verify();
    }
  }

  /**
   * Copies the files of the store while it is open, and shows what recovery makes of the copy;
   * shows nothing in memory.
   */
  void recoverCopy(Consumer<LongIndex> look) {
    if (store == null || folder == null || options == null) {
      return;
    }
    store.commit();
    try {
      Path copy = folder.resolve("copy");
      Files.createDirectory(copy);
      copyFiles(store.path(), copy);
      try (IndexStore copied = IndexStore.open(copy.resolve("store.esp"), options)) {
        copied.verify();
        look.accept(copied.index(NAME));
      }
      delete(copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies all files as they were at one moment: a checkpoint beside makes it begin anew. */
  private void copyFiles(Path from, Path to) throws IOException {
    long before;
    do {
      before = writes.count();
      try (Stream<Path> old = Files.list(to)) {
        for (Path file : old.toList()) {
          Files.delete(file);
        }
      }
      List<Path> files;
      try (Stream<Path> all = Files.list(from.resolveSibling(""))) {
        files = all.filter(Files::isRegularFile).toList();
      }
      for (Path file : files) {
        if (Files.exists(file)) {
          Files.copy(file, to.resolve(file.getFileName()));
        }
      }
    } while (writes.count() != before);
  }

  @Override
  public void close() {
    if (store == null) {
      index.close();
    } else {
      store.close();
    }
  }

  /** Deletes the files of a store that is closed. */
  void deleteFiles() {
    if (folder != null) {
      try {
        delete(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Returns where the files are, for messages; empty in memory. */
  String place() {
    return folder == null ? "" : " (its files are in " + folder + ")";
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
