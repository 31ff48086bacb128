// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageStore;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Stores of pages without a tree, each of whose pages holds its own number. */
final class Stores {
  private Stores() {}

  /** Makes a file without pages, and the pages of an index over it, in the pool, without a log. */
  static SlotPageStore create(Path path, PageFileOpener engine, BufferPool pool) {
    int pageBytes = pool.pageBytes();
    PageFile file = engine.open(path, Access.CREATE, pageBytes);
    file.grow(StoreHeader.areaBytes(pageBytes));
    SlotPageStore store =
        new SlotPageStore(
            file,
            pool,
            new StoreCondition(path, "the index in " + path, false),
            new AtomicInteger(),
            new IndexPages(0, "pages", "none", StoredCodecs.LONGS, pageBytes),
            new SlotSpace(file, pageBytes, null),
            () -> 1,
            new WriterGate(),
            true);
    pool.enter(store);
    return store;
  }

  /** Replaces all files of a folder by copies of those of another one. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path old : files(to)) {
      Files.delete(old);
    }
    for (Path file : files(from)) {
      Files.copy(file, to.resolve(file.getFileName()));
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** Returns the environment of a store that does the same each time, and nothing by itself. */
  static StoreEnvironment environment(PageFileOpener engine) {
    return new StoreEnvironment(new SystemFiles(engine, engine), new Random(1), false, false);
  }

  /** Allocates pages and writes its number into each. */
  static int[] allocate(PageStore store, int count) {
    int[] pages = new int[count];
    for (int i = 0; i < count; i++) {
      pages[i] = store.allocate();
      long offset = store.pin(pages[i]);
      store.segment().set(ValueLayout.JAVA_LONG, offset + PageStore.RESERVED_BYTES, pages[i]);
      store.unpin(offset, true);
    }
    return pages;
  }

  /** Returns the number in a page that is pinned. */
  static long contents(PageStore store, long offset) {
    return store.segment().get(ValueLayout.JAVA_LONG, offset + PageStore.RESERVED_BYTES);
  }
}
