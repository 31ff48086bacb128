// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage to a page that has left a tree of links, and waits to be used again. */
class WaitingPagesDamageTest {
  private static final int PAGE_BYTES = 512;

  /** As the documentation of the file format has it. */
  private static final int WAITING = 4;

  private static final int FLAGS_AT = 40;
  private static final int HAS_LEFT = 2;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private static StoreOptions options(String tree) {
    return StoreOptions.DEFAULT.withFiles(PagedTrees.options(tree, PAGE_BYTES, 40));
  }

  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "FpbLinkTree"})
  void openingNamesThePageAndSalvageSavesAllEntries(String tree) throws IOException {
    Path live = Files.createDirectories(folder.resolve("live")).resolve("store.esp");
    Path path = folder.resolve("copy").resolve("store.esp");
    Map<Long, Long> entries;
    int page;
    try (IndexStore store = IndexStore.open(live, options(tree))) {
      StoredIndex index = StoredIndex.of(store, tree, "a");
      for (long key = 0; key < 3_000; key++) {
        index.set(key, -key);
      }
      entries = index.entries();
      page = leave(store);
      store.checkpoint();
      int slot = store.state().indexes.get("a").map.slot(page);
      Stores.copy(live.getParent(), path.getParent());
      damage(path, (long) slot * PAGE_BYTES + 100);
    }
    CorruptPageException refused =
        assertThrows(
            CorruptPageException.class,
            () -> {
              try (IndexStore store = IndexStore.open(path, options(tree))) {
                store.index("a");
              }
            });
    assertEquals(page, refused.page());
    assertTrue(refused.getMessage().contains(path.toString()), refused.getMessage());
    Path target = folder.resolve("saved.esp");
    Salvage.salvage(path, options(tree).files(), target, ProgressListener.NONE);
    try (IndexStore store = IndexStore.open(target, options(tree))) {
      store.verify();
      assertEquals(entries, StoredIndex.of(store, tree, "a").entries());
    }
  }

  /** Lets a page wait as it would while another thread may yet reach it. */
  private static int leave(IndexStore store) {
    SlotPageStore pages = store.state().open.get("a").pages();
    int page = pages.allocate();
    long at = pages.pinFresh(page);
    pages.segment().set(LittleEndian.INT, at + FLAGS_AT, HAS_LEFT);
    pages.unpin(at, true);
    pages.meta()[WAITING] = page;
    return page;
  }

  private static void damage(Path file, long at) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.seek(at);
      int old = opened.read();
      opened.seek(at);
      opened.write(~old);
    }
  }
}
