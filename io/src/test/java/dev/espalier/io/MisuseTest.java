// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What is used wrongly says what it is, and what is wrong with the use. */
class MisuseTest {
  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("store.esp");
  }

  private static void assertRefused(
      Class<? extends Exception> kind, String message, Executable call) {
    assertEquals(message, assertThrows(kind, call).getMessage());
  }

  @Test
  void usersOfADroppedIndexAreToldThatItWasDropped() {
    try (IndexStore store = IndexStore.open(path())) {
      LongIndex longs = store.index("a");
      BytesIndex strings = store.bytesIndex("b");
      longs.put(1, 1);
      store.drop("a");
      store.drop("b");
      String end = "' of " + path() + " was dropped";
      assertRefused(IllegalStateException.class, "index 'a" + end, () -> longs.get(1));
      assertRefused(IllegalStateException.class, "index 'b" + end, () -> strings.get(new byte[1]));
      assertTrue(longs.isClosed());
    }
  }

  @Test
  void aClosedStoreAndItsIndexesCallThemselvesByTheirNames() {
    IndexStore store = IndexStore.open(path());
    LongIndex longs = store.index("a");
    BytesIndex strings = store.bytesIndex("b");
    store.close();
    String file = path() + " is closed";
    assertRefused(IllegalStateException.class, "the store " + file, () -> store.index("a"));
    assertRefused(IllegalStateException.class, "index 'a' of " + file, longs::size);
    assertRefused(
        IllegalStateException.class, "index 'b' of " + file, () -> strings.get(new byte[1]));
  }

  @Test
  void nullIsNamed() {
    byte[] bytes = {};
    assertRefused(NullPointerException.class, "path is null", () -> Espalier.open(null));
    assertRefused(
        NullPointerException.class,
        "options is null",
        () -> Espalier.open(path(), (FileOptions) null));
    assertRefused(
        NullPointerException.class,
        "index is null",
        () -> new WriteBatch().set((LongIndex) null, 1, 1));
    try (BytesIndex index = Espalier.openBytes(path())) {
      assertRefused(NullPointerException.class, "key is null", () -> index.get((byte[]) null));
      assertRefused(
          NullPointerException.class,
          "value is null",
          () -> new WriteBatch().set(index, bytes, null));
    }
  }

  @Test
  void whatHasOtherKeysSaysHowToOpenIt() {
    Espalier.open(path()).close();
    assertRefused(
        IllegalArgumentException.class,
        "index 'index' of %s is a FpbLinkTree, which has longs; open it with Espalier.open"
            .formatted(path()),
        () -> Espalier.openBytes(path()));
  }

  @Test
  void aFolderThatDoesNotExistIsNamed() {
    Path missing = folder.resolve("none");
    PageFileException refused =
        assertThrows(
            PageFileException.class, () -> Espalier.open(missing.resolve("store.esp")).close());
    assertTrue(
        refused.getMessage().endsWith("its folder " + missing + " does not exist"),
        refused.getMessage());
  }

  @Test
  void aClosedPoolIsRefused() {
    BufferPool pool = BufferPool.create(1 << 20, 4096);
    pool.close();
    assertRefused(
        IllegalArgumentException.class, "pool is closed", () -> FileOptions.DEFAULT.withPool(pool));
  }
}
