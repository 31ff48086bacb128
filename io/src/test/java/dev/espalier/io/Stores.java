// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageStore;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Collections;

/** Stores without a tree, each of whose pages holds its own number. */
final class Stores {
  private Stores() {}

  /** Makes a file without pages, and a store over it that is in the pool. */
  static FilePageStore create(Path path, PageFileOpener engine, BufferPool pool) {
    int pageBytes = pool.pageBytes();
    PageFile file = engine.open(path, Access.CREATE, pageBytes);
    FileHeader header =
        new FileHeader(
            0,
            77,
            pageBytes,
            true,
            0,
            0,
            1,
            Collections.nCopies(PageStore.META_WORDS, 0L),
            "test",
            FileHeader.LONG_CODECS);
    file.grow((long) FileHeader.BLOCKS * pageBytes);
    header.writeTo(file);
    FilePageStore store = new FilePageStore(file, pool, header, new int[0], false, true, () -> {});
    pool.enter(store);
    return store;
  }

  /** Allocates pages and writes its number into each. */
  static int[] allocate(FilePageStore store, int count) {
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
  static long contents(FilePageStore store, long offset) {
    return store.segment().get(ValueLayout.JAVA_LONG, offset + PageStore.RESERVED_BYTES);
  }
}
